import type { LoadContext } from 'hydrant'

export function load({ app }: LoadContext<'/'>) {
  return { books: app.library.list() }
}
