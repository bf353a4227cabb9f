import { listBooks } from '../lib/library.server.ts'

export function load() {
  return { books: listBooks() }
}
