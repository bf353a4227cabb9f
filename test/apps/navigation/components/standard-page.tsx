import { type ReactNode, useState } from 'react'

/** A page with its title, its query, and a counter. */
export function StandardPage({ title, url, children }: { title: string; url: URL; children?: ReactNode }) {
  const [count, setCount] = useState(0)
  return (
    <>
      <title>{title}</title>
      <meta name="description" content={`All about ${title}`} />
      <h1>{title}</h1>
      <p id="query">{url.search}</p>
      <button id="count" type="button" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      {children}
    </>
  )
}
