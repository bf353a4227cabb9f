import type { PageProps } from 'hydrant/react'

export default function Book({ data }: PageProps<'/books/[id]'>) {
  return (
    <>
      <title>{data.title}</title>
      <h1>{data.title}</h1>
      <p>
        {data.author}, {data.year}
      </p>
    </>
  )
}
