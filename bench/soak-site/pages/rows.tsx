import type { PageProps } from 'hydrant/react'
import type { load } from './rows.server.ts'

export default function Rows({ data }: PageProps<typeof load>) {
  return (
    <>
      <h1>Rows</h1>
      <ul>
        {data.rows.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </>
  )
}
