import type { PageProps } from 'hydrant/react'
import { useState } from 'react'

export default function BookPage({ data }: PageProps<'/books/[id]'>) {
  const [isRead, setRead] = useState(false)
  return (
    <>
      <title>{data.book.title}</title>
      <h1>{data.book.title}</h1>
      <p>by {data.book.author}</p>
      <button type="button" onClick={() => setRead(!isRead)}>
        {isRead ? 'Read' : 'Not read yet'}
      </button>
    </>
  )
}
