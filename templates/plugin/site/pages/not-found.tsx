import { href, type NotFoundProps } from 'hydrant/react'

export default function NotFound({ url }: NotFoundProps) {
  return (
    <>
      <title>Not found</title>
      <h1>Not found</h1>
      <p>
        There is no page {url.pathname}. Go back to the <a href={href('/')}>start</a>.
      </p>
    </>
  )
}
