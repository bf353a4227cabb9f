import type { PageProps } from 'hydrant/react'

export default function Guestbook({ data, actionData }: PageProps<'/guestbook'>) {
  const problem = actionData?.problem
  return (
    <>
      <title>Guestbook</title>
      <h1>Guestbook</h1>
      <form method="post">
        <label htmlFor="text">Your message</label>{' '}
        <input
          id="text"
          name="text"
          aria-invalid={problem !== undefined}
          aria-describedby="problem"
        />{' '}
        <button type="submit">Sign</button>
        <p id="problem" role="alert">
          {problem}
        </p>
      </form>
      <ul>
        {data.messages.map(({ id, text }) => (
          <li key={id}>{text}</li>
        ))}
      </ul>
    </>
  )
}
