import type { LoadContext } from 'hydrant'

export function load({ app }: LoadContext<'/'>) {
  // The decorator of src/api.ts. An import of the tickets would create others: the built site has modules of its own.
  return { tickets: app.tickets.list().map(({ id, title, isOpen }) => ({ id, title, isOpen })) }
}
