import Link from 'next/link'
import { listBooks } from '@/lib/library'

export default function Home() {
  return (
    <>
      <h1>Our books</h1>
      <ul>
        {listBooks().map((book) => (
          <li key={book.id}>
            <Link href={`/books/${book.id}`}>{book.title}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}
