import { pages } from './pages.jsx'

export function Document({ page, props, member }) {
  const Page = pages[page]
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="stylesheet" href="/client.css" />
      </head>
      <body>
        <header>
          <a href="/">Reading club</a> <a href="/suggest">Suggest a book</a> <a href="/members">Members</a>{' '}
          {member ? `Hello ${member}` : <a href="/sign-in">Sign in</a>}
        </header>
        <main>
          <Page {...props} />
        </main>
      </body>
    </html>
  )
}
