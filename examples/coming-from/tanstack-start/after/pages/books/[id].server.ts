import { type LoadContext, notFound } from 'hydrant'
import { findBook } from '../../lib/library.server.ts'

export function load({ params }: LoadContext<'/books/[id]'>) {
  return { book: findBook(params.id) ?? notFound() }
}
