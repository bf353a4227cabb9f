import { useState } from 'react'

export function Book({ book }) {
  const [isRead, setRead] = useState(false)
  return (
    <>
      <title>{book.title}</title>
      <h1>{book.title}</h1>
      <p>by {book.author}</p>
      <button type="button" onClick={() => setRead(!isRead)}>
        {isRead ? 'Read' : 'Not read yet'}
      </button>
    </>
  )
}
