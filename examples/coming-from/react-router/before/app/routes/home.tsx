import { Link } from 'react-router'
import { listBooks } from '../lib/library.server'
import type { Route } from './+types/home'

export function loader() {
  return { books: listBooks() }
}

export default function Home({ loaderData }: Route.ComponentProps) {
  return (
    <>
      <title>Reading club</title>
      <h1>Our books</h1>
      <ul>
        {loaderData.books.map((book) => (
          <li key={book.id}>
            <Link to={`/books/${book.id}`}>{book.title}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}
