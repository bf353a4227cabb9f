import { href } from 'hydrant/react'

export default function NotFound() {
  return (
    <>
      <title>Not found · Paper & Ink</title>
      <h1 className="text-3xl">Not found</h1>
      <p>
        There is no such page. Go to{' '}
        <a href={href('/')} className="underline">
          all products
        </a>
        .
      </p>
    </>
  )
}
