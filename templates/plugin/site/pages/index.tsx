import type { PageProps } from 'hydrant/react'
import { Counter } from '../components/counter.tsx'

export default function Home({ data, actionData }: PageProps<'/'>) {
  const problem = actionData?.problem
  return (
    <>
      <title>Tasks</title>
      <h1>Tasks</h1>
      <ul>
        {data.tasks.map(({ id, text }) => (
          <li key={id}>{text}</li>
        ))}
      </ul>
      <form method="post">
        <label htmlFor="text">New task</label>{' '}
        <input
          id="text"
          name="text"
          aria-invalid={problem !== undefined}
          aria-describedby="problem"
        />{' '}
        <button type="submit">Add</button>
        <p id="problem" role="alert">
          {problem}
        </p>
      </form>
      <Counter />
    </>
  )
}
