// A file that ends in .server.ts never reaches the browser. This one stands for your database.

export interface Book {
  id: string
  title: string
  author: string
  year: number
}

const books: readonly Book[] = [
  { id: 'frankenstein', title: 'Frankenstein', author: 'Mary Shelley', year: 1818 },
  { id: 'middlemarch', title: 'Middlemarch', author: 'George Eliot', year: 1871 },
  { id: 'kim', title: 'Kim', author: 'Rudyard Kipling', year: 1901 },
]

export function listBooks(): readonly Book[] {
  return books
}

export function findBook(id: string): Book | undefined {
  return books.find((book) => book.id === id)
}
