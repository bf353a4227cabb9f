import type { PageProps } from 'hydrant/react'

export default function Data({ data }: PageProps<'/data'>) {
  return (
    <>
      <title>Data</title>
      <h1>Data</h1>
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
    </>
  )
}
