import type { PageProps } from 'hydrant/react'

export default function Rows({ data }: PageProps<'/rows'>) {
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
