export function Books({ books }) {
  return (
    <>
      <title>Reading club</title>
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
