import { use } from 'react'

export function Late({ later }: { later: Promise<string> }) {
  return <p>{use(later)}</p>
}
