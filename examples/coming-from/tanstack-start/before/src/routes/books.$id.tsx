import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { readBook } from '../lib/club.functions'

export const Route = createFileRoute('/books/$id')({
  loader: ({ params }) => readBook({ data: params.id }),
  head: ({ loaderData }) => ({ meta: [{ title: loaderData?.title }] }),
  component: BookPage,
  notFoundComponent: () => <h1>This book is not in our list</h1>,
})

function BookPage() {
  const book = Route.useLoaderData()
  const [isRead, setRead] = useState(false)
  return (
    <>
      <h1>{book.title}</h1>
      <p>by {book.author}</p>
      <button type="button" onClick={() => setRead(!isRead)}>
        {isRead ? 'Read' : 'Not read yet'}
      </button>
    </>
  )
}
