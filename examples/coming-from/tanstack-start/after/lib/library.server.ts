export interface Book {
  id: string
  title: string
  author: string
}

// These stand for a database.
const books: readonly Book[] = [
  { id: 'emma', title: 'Emma', author: 'Jane Austen' },
  { id: 'ulysses', title: 'Ulysses', author: 'James Joyce' },
]
export const suggestions: string[] = []

export function listBooks(): readonly Book[] {
  return books
}

export function findBook(id: string): Book | undefined {
  if (id === 'torn') throw new Error('The record of the book "torn" cannot be read.')
  return books.find((book) => book.id === id)
}

export function checkPassword(name: string, password: string): boolean {
  return name === 'Ada' && password === 'lovelace'
}
