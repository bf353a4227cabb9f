import { href, type PageProps } from 'hydrant/react'
import { useState } from 'react'
import { Connection } from '../../components/connection.tsx'

export default function EditCard({ data, params, actions: { write } }: PageProps<'/cards/[id]'>) {
  const { text, version } = write.fields
  // The card that is edited. The data of the page changes when somebody else saves the same card.
  const [card, setCard] = useState(data.card)
  return (
    <main>
      <title>Edit a card</title>
      <h1>Edit a card</h1>
      <Connection />
      <div role="status">
        {data.card.version !== card.version && (
          <p>
            Meanwhile, somebody has written: {data.card.text}{' '}
            <button type="button" onClick={() => setCard(data.card)}>
              Use this text
            </button>
          </p>
        )}
      </div>
      <form method="post" action={href('/cards/[id]', params, { action: 'write' })}>
        {write.invalid?.issues[''] && <p role="alert">{write.invalid.issues['']}</p>}
        <input {...version} type="hidden" value={card.version} />
        <label>
          Text <input key={card.version} defaultValue={card.text} {...text} />
        </label>{' '}
        <button type="submit">Save</button>
        <p id={text.errorId}>{text.issues}</p>
      </form>
      <form method="post" action={href('/cards/[id]', params, { action: 'remove' })}>
        <button type="submit">Delete the card</button>
      </form>
      <a href={href('/')}>Back to the board</a>
    </main>
  )
}
