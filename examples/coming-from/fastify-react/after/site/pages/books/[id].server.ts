import { type LoadContext, notFound } from 'hydrant'

export function load({ app, params }: LoadContext<'/books/[id]'>) {
  return { book: app.library.find(params.id) ?? notFound() }
}
