import { useState } from 'react'
import { data } from 'react-router'
import { findBook } from '../lib/library.server'
import type { Route } from './+types/book'

export function loader({ params }: Route.LoaderArgs) {
  const book = findBook(params.id)
  if (!book) throw data('This book is not in our list', { status: 404 })
  return { book }
}

export default function BookPage({ loaderData }: Route.ComponentProps) {
  const { book } = loaderData
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
