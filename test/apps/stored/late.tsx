import { use } from 'react'

export function Late({ late }: { late: Promise<string> }) {
  return <p>{use(late)}</p>
}
