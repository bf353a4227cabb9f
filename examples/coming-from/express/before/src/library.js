// These stand for a database.
const books = [
  { id: 'emma', title: 'Emma', author: 'Jane Austen' },
  { id: 'ulysses', title: 'Ulysses', author: 'James Joyce' },
]
export const suggestions = []

export function listBooks() {
  return books
}

export function findBook(id) {
  if (id === 'torn') throw new Error('The record of the book "torn" cannot be read.')
  return books.find((book) => book.id === id)
}

export function checkPassword(name, password) {
  return name === 'Ada' && password === 'lovelace'
}
