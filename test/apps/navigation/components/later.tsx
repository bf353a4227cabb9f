import { use } from 'react'

export function Later({ promise }: { promise: Promise<string> }) {
  return <b id="later">{use(promise)}</b>
}
