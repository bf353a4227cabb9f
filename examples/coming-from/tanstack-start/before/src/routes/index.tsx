import { createFileRoute, Link } from '@tanstack/react-router'
import { readBooks } from '../lib/club.functions'

export const Route = createFileRoute('/')({
  loader: () => readBooks(),
  head: () => ({ meta: [{ title: 'Reading club' }] }),
  component: Home,
})

function Home() {
  const books = Route.useLoaderData()
  return (
    <>
      <h1>Our books</h1>
      <ul>
        {books.map((book) => (
          <li key={book.id}>
            <Link to="/books/$id" params={{ id: book.id }}>
              {book.title}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
