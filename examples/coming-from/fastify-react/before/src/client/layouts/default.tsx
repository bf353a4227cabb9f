import { useRouteContext } from '@fastify/react/client'
import { Suspense } from 'react'
import { Link } from 'react-router'

export default function Layout({ children }) {
  const { snapshot } = useRouteContext()
  return (
    <>
      <header>
        <Link to="/">Reading club</Link> <Link to="/suggest">Suggest a book</Link> <Link to="/members">Members</Link>{' '}
        {snapshot.member ? `Hello ${snapshot.member}` : <Link to="/sign-in">Sign in</Link>}
      </header>
      <main>
        <Suspense fallback={<p>Loading…</p>}>{children}</Suspense>
      </main>
    </>
  )
}
