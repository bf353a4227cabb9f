export interface Book {
  id: string
  title: string
  author: string
}

/** Stands for a database. */
export class Library {
  readonly suggestions: string[] = []
  readonly #books: readonly Book[] = [
    { id: 'emma', title: 'Emma', author: 'Jane Austen' },
    { id: 'ulysses', title: 'Ulysses', author: 'James Joyce' },
  ]

  list(): readonly Book[] {
    return this.#books
  }

  find(id: string): Book | undefined {
    if (id === 'torn') throw new Error('The record of the book "torn" cannot be read.')
    return this.#books.find((book) => book.id === id)
  }

  checkPassword(name: string, password: string): boolean {
    return name === 'Ada' && password === 'lovelace'
  }
}
