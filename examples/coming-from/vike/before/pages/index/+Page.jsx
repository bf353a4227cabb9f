import { useData } from 'vike-react/useData'

export default function Books() {
  const { books } = useData()
  return (
    <>
      <h1>Our books</h1>
      <ul>
        {books.map((book) => (
          <li key={book.id}>
            <a href={`/books/${book.id}`}>{book.title}</a>
          </li>
        ))}
      </ul>
    </>
  )
}
