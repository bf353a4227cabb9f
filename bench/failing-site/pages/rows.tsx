import type { PageProps } from 'hydrant/react'

function Last({ part }: { part: string | undefined }) {
  if (part === 'render') throw new Error('The component throws.')
  return <p>The end.</p>
}

export default function Rows({ data }: PageProps<'/rows'>) {
  return (
    <>
      <title>Rows</title>
      <h1>Rows</h1>
      <table>
        <tbody>
          {data.rows.map((row) => (
            <tr key={row.id}>
              <td>{row.id}</td>
              <td>{row.name}</td>
              <td>{row.price}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Last part={data.part} />
    </>
  )
}
