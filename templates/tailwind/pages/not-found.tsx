import { href, type NotFoundProps } from 'hydrant/react'

export default function NotFound({ url }: NotFoundProps) {
  return (
    <>
      <title>Not found</title>
      <h1 className="mb-4 text-3xl font-bold">Not found</h1>
      <p>
        There is no page {url.pathname}. Go back to the{' '}
        <a className="text-accent underline dark:text-orange-400" href={href('/')}>
          start
        </a>
        .
      </p>
    </>
  )
}
