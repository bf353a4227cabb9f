import { href } from 'hydrant/react'

export default function NotFound() {
  return (
    <>
      <title>Not found · Hydrant console</title>
      <h1>There is nothing at this address</h1>
      <p>
        <a href={href('/')}>All failures</a>
      </p>
    </>
  )
}
