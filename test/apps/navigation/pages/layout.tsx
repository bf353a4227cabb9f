import { type LayoutProps, useNavigation } from 'hydrant/react'
import { useState } from 'react'

const LINKS = [
  '/about',
  '/about?q=1',
  '/#bottom',
  '/slow',
  '/fails',
  '/missing',
  '/nowhere',
  '/redirects',
  '/outside',
  '/loop',
  '/later',
  '/breaks',
  '/styled',
  '/robots.txt',
  '/api',
  '/export',
  '/late-layout/one',
  '/cookie',
  '/throws',
  '/throws-around',
  '/own-error',
  '/users/1',
  '/users/2',
  '/users/2/posts',
]

export default function Layout({ children }: LayoutProps) {
  const [count, setCount] = useState(0)
  const going = useNavigation()
  return (
    <html lang="en">
      <head>
        <meta name="viewport" content="width=device-width" />
      </head>
      <body>
        <nav>
          <a href="/">home</a>
          {LINKS.map((href) => (
            <a key={href} href={href}>
              {href}
            </a>
          ))}
          <a href="/about" target="_blank" id="blank" rel="noopener">
            blank
          </a>
          <a href="/about" download id="download">
            download
          </a>
          <a href="/about" data-hydrant-reload id="reload">
            <span>reload</span>
          </a>
          <a href="/about" data-hydrant-prefetch="off" id="no-prefetch">
            quiet
          </a>
          <form method="post" action="/posted">
            <input name="text" defaultValue="typed" />
            <button type="submit">Post</button>
          </form>
          <form method="post" action="/guarded">
            <button type="submit">Guarded</button>
          </form>
          <form action="/about">
            <input name="q" defaultValue="typed" />
            <button type="submit">Search</button>
          </form>
        </nav>
        <input id="typed" />
        <button id="layout-count" type="button" onClick={() => setCount(count + 1)}>
          {count}
        </button>
        <output id="state">
          {going.state}
          {going.state !== 'idle' && ` ${going.url.pathname}`}
        </output>
        <main>{children}</main>
      </body>
    </html>
  )
}
