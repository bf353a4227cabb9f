import { listBooks } from '../data/books.server.ts'

/** Runs on the server for each request. The page gets the result as `data`. */
export function load() {
  return { books: listBooks() }
}
