import {
  isRouteErrorResponse,
  Link,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useRouteLoaderData,
} from 'react-router'
import type { Route } from './+types/root'
import './app.css'
import { readMember } from './lib/session.server'

export async function loader({ request }: Route.LoaderArgs) {
  return { member: await readMember(request) }
}

export function Layout({ children }: { children: React.ReactNode }) {
  const data = useRouteLoaderData<typeof loader>('root')
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Meta />
        <Links />
      </head>
      <body>
        <header>
          <Link to="/">Reading club</Link> <Link to="/suggest">Suggest a book</Link> <Link to="/members">Members</Link>{' '}
          {data?.member ? `Hello ${data.member}` : <Link to="/sign-in">Sign in</Link>}
        </header>
        <main>{children}</main>
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  )
}

export default function App() {
  return <Outlet />
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 404) {
    return <h1>{error.data || 'This page does not exist'}</h1>
  }
  return <h1>This page cannot be shown</h1>
}
