import { type LoadContext, notFound } from 'hydrant'
import { findBook } from '../../data/books.server.ts'

export function load({ params }: LoadContext<'/books/[id]'>) {
  // Responds with 404 and pages/not-found.tsx.
  return findBook(params.id) ?? notFound()
}
