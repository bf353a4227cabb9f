import { href } from 'hydrant/react'

export default function NotFound() {
  return (
    <main>
      <title>Not found</title>
      <h1>Not found</h1>
      <p>
        There is no such page. Go back to the <a href={href('/')}>tickets</a>.
      </p>
    </main>
  )
}
