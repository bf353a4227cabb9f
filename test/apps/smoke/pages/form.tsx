import type { PageProps } from 'hydrant/react'

export default function Page({ data, actionData }: PageProps<'/form'>) {
  return (
    <main>
      <h1>Notes</h1>
      <ul>
        {data.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <form method="post">
        <input name="note" aria-label="note" />
        <button type="submit">add</button>
      </form>
      {typeof actionData === 'string' && <p id="refused">{actionData}</p>}
    </main>
  )
}
