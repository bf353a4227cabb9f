import type { PageProps } from 'hydrant/react'
import { useState } from 'react'

export default function Page({ data }: PageProps<'/prerendered'>) {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>{data.href}</h1>
      <p>{data.pid}</p>
      <button type="button" onClick={() => setCount(count + 1)}>
        count: {count}
      </button>
      <a href="/prerendered/news/7">news</a>
    </main>
  )
}
