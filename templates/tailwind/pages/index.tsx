import { href, type PageProps } from 'hydrant/react'
import { Counter } from '../components/counter.tsx'

export default function Home({ data }: PageProps<'/'>) {
  return (
    <>
      <title>Welcome</title>
      <h1 className="mb-4 text-3xl font-bold">Welcome</h1>
      <p className="mb-4">
        The server has rendered this page. Change <code>pages/index.tsx</code>, and see it here.
      </p>
      <Counter />
      <h2 className="mt-8 mb-2 text-xl font-bold">Books</h2>
      <ul className="list-inside list-disc">
        {data.books.map(({ id, title }) => (
          <li key={id}>
            <a
              className="text-accent underline dark:text-orange-400"
              href={href('/books/[id]', { id })}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
