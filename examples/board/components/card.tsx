import { href, type PageProps, useSubmission } from 'hydrant/react'

type Data = PageProps<'/'>['data']

/** A card, with buttons that move it and a link to the page on which it is edited. */
export function Card({ card, columns }: { card: Data['cards'][number]; columns: Data['columns'] }) {
  const move = useSubmission('/', {}, { action: 'move' })
  const others = columns.filter((column) => column !== card.column)
  return (
    <li className={move.formData ? 'card moved' : 'card'}>
      <p>{card.text}</p>
      <form {...move.form}>
        <input type="hidden" name="id" value={card.id} />
        {others.map((column) => (
          <button type="submit" key={column} name="column" value={column}>
            {column}
          </button>
        ))}
      </form>{' '}
      <a href={href('/cards/[id]', { id: card.id })} aria-label={`Edit ${card.text}`}>
        Edit
      </a>
      {move.error && <p role="alert">{move.error.message}</p>}
    </li>
  )
}
