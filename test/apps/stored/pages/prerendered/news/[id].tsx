import type { PageProps } from 'hydrant/react'

export default function News({ data }: PageProps<'/prerendered/news/[id]'>) {
  return (
    <main>
      <h1>News {data.id}</h1>
      <p>{data.pid}</p>
      <a href="/prerendered/plain">plain</a>
    </main>
  )
}
