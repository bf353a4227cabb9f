import type { PageProps } from 'hydrant/react'
import type { load } from './[id].server.ts'

export default function Book({ data }: PageProps<typeof load>) {
  return (
    <>
      <title>{data.title}</title>
      <h1>{data.title}</h1>
      <p>
        {data.author}, {data.year}
      </p>
    </>
  )
}
