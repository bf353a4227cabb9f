import { href, type LayoutProps } from 'hydrant/react'
import './layout.css'

export default function Layout({ data, children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
      </head>
      <body>
        <header>
          <a href={href('/')}>Reading club</a> <a href={href('/suggest')}>Suggest a book</a>{' '}
          <a href={href('/members')}>Members</a>{' '}
          {data?.member ? `Hello ${data.member}` : <a href={href('/sign-in')}>Sign in</a>}
        </header>
        <main>{children}</main>
      </body>
    </html>
  )
}
