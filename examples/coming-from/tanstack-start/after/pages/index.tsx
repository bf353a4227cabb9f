import { href, type PageProps } from 'hydrant/react'

export default function Books({ data }: PageProps<'/'>) {
  return (
    <>
      <title>Reading club</title>
      <h1>Our books</h1>
      <ul>
        {data.books.map((book) => (
          <li key={book.id}>
            <a href={href('/books/[id]', { id: book.id })}>{book.title}</a>
          </li>
        ))}
      </ul>
    </>
  )
}
