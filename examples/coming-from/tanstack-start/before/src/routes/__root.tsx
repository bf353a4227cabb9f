import { createRootRoute, HeadContent, Link, Scripts } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import css from '../app.css?url'
import { readMember } from '../lib/club.functions'

export const Route = createRootRoute({
  beforeLoad: async () => ({ member: await readMember() }),
  head: () => ({
    meta: [{ charSet: 'utf-8' }, { name: 'viewport', content: 'width=device-width, initial-scale=1' }],
    links: [{ rel: 'stylesheet', href: css }],
  }),
  shellComponent: Document,
  notFoundComponent: () => <h1>This page does not exist</h1>,
})

function Document({ children }: { children: ReactNode }) {
  const { member } = Route.useRouteContext()
  return (
    <html lang="en">
      <head>
        <HeadContent />
      </head>
      <body>
        <header>
          <Link to="/">Reading club</Link> <Link to="/suggest">Suggest a book</Link> <Link to="/members">Members</Link>{' '}
          {member ? `Hello ${member}` : <Link to="/sign-in">Sign in</Link>}
        </header>
        <main>{children}</main>
        <Scripts />
      </body>
    </html>
  )
}
