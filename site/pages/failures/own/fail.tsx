import type { PageProps } from 'hydrant/react'
import type { load } from './fail.server.ts'

export default function Fail({ data }: PageProps<typeof load>) {
  return <h1>{data.name}</h1>
}
