import { useRouteContext } from '@fastify/react/client'
import { useState } from 'react'

export function getData({ server, req, reply }) {
  const book = server.library.find(req.params.id)
  if (!book) reply.code(404)
  return { book: book ?? null }
}

export function getMeta({ data }) {
  return { title: data.book?.title ?? 'Not found' }
}

export default function BookPage() {
  const { data } = useRouteContext()
  const [isRead, setRead] = useState(false)
  if (!data.book) return <h1>This book is not in our list</h1>
  return (
    <>
      <h1>{data.book.title}</h1>
      <p>by {data.book.author}</p>
      <button type="button" onClick={() => setRead(!isRead)}>
        {isRead ? 'Read' : 'Not read yet'}
      </button>
    </>
  )
}
