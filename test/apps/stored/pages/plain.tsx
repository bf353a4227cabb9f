import type { PageProps } from 'hydrant/react'

export const hydrate = false

export default function Page({ data, actionData }: PageProps<'/plain'>) {
  return (
    <main>
      <h1>{data}</h1>
      <p id="sent">{actionData}</p>
      <form method="post">
        <input name="name" defaultValue="Ada" />
        <button type="submit">Send</button>
      </form>
      <a href="/hydrated">back</a>
    </main>
  )
}
