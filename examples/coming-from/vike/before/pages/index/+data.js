import { listBooks } from '../../lib/library.js'

export function data() {
  return { books: listBooks() }
}
