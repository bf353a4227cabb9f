import { href, type PageProps } from 'hydrant/react'
import { Card } from '../components/card.tsx'
import { Connection } from '../components/connection.tsx'

export default function Board({ data, actions: { add } }: PageProps<'/'>) {
  return (
    <main>
      <title>Board</title>
      <h1>Board</h1>
      <Connection />
      <form method="post" action={href('/', {}, { action: 'add' })}>
        <label>
          New card <input {...add.fields.text} />
        </label>{' '}
        <button type="submit">Add</button>
        <p id={add.fields.text.errorId}>{add.fields.text.issues}</p>
      </form>
      <div className="columns">
        {data.columns.map((column) => (
          <section key={column} aria-label={column}>
            <h2>{column}</h2>
            <ul>
              {data.cards
                .filter((card) => card.column === column)
                .map((card) => (
                  <Card key={card.id} card={card} columns={data.columns} />
                ))}
            </ul>
          </section>
        ))}
      </div>
    </main>
  )
}
