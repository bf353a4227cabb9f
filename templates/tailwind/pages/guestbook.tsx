import type { PageProps } from 'hydrant/react'

export default function Guestbook({ data, actionData }: PageProps<'/guestbook'>) {
  const problem = actionData?.problem
  return (
    <>
      <title>Guestbook</title>
      <h1 className="mb-4 text-3xl font-bold">Guestbook</h1>
      <form method="post" className="mb-8">
        <label htmlFor="text" className="mb-1 block">
          Your message
        </label>
        <input
          id="text"
          className="rounded-lg border px-3 py-2"
          name="text"
          aria-invalid={problem !== undefined}
          aria-describedby="problem"
        />{' '}
        <button
          type="submit"
          className="rounded-lg bg-accent px-4 py-2 text-white hover:brightness-90"
        >
          Sign
        </button>
        <p id="problem" role="alert" className="text-accent dark:text-orange-400">
          {problem}
        </p>
      </form>
      <ul className="list-inside list-disc">
        {data.messages.map(({ id, text }) => (
          <li key={id}>{text}</li>
        ))}
      </ul>
    </>
  )
}
