import { href, type PageProps } from 'hydrant/react'
import { Counter } from '../components/counter.tsx'

export default function Home({ data }: PageProps<'/'>) {
  return (
    <>
      <title>Welcome</title>
      <h1>Welcome</h1>
      <p>
        The server has rendered this page. Change <code>pages/index.tsx</code>, and see it here.
      </p>
      <Counter />
      <h2>Books</h2>
      <ul>
        {data.books.map(({ id, title }) => (
          <li key={id}>
            <a href={href('/books/[id]', { id })}>{title}</a>
          </li>
        ))}
      </ul>
    </>
  )
}
