import type { LayoutProps } from 'hydrant/react'
import { useState } from 'react'
import './layout.css'

export default function Layout({ children }: LayoutProps) {
  const [count, setCount] = useState(0)
  return (
    <html lang="en">
      <head>
        <title>Smoke</title>
      </head>
      <body>
        <nav>
          <a href="/">home</a> <a href="/late">late</a> <a href="/failing">failing</a>
          <button id="kept" type="button" onClick={() => setCount(count + 1)}>
            {`kept: ${count}`}
          </button>
        </nav>
        {children}
      </body>
    </html>
  )
}
