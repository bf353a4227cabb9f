import { href } from 'hydrant/react'

export default function NotFound() {
  return (
    <>
      <h1>This page does not exist</h1>
      <a href={href('/')}>All books</a>
    </>
  )
}
