import { useRouteContext } from '@fastify/react/client'
import { Link } from 'react-router'

export function getMeta() {
  return { title: 'Reading club' }
}

export function getData({ server }) {
  return { books: server.library.list() }
}

export default function Books() {
  const { data } = useRouteContext()
  return (
    <>
      <h1>Our books</h1>
      <ul>
        {data.books.map((book) => (
          <li key={book.id}>
            <Link to={`/books/${book.id}`}>{book.title}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}
