import { href, type LayoutProps } from 'hydrant/react'

export default function DeskLayout({ data, children }: LayoutProps<'/(desk)'>) {
  return (
    <>
      <header className="bar">
        <nav className="links" aria-label="Main">
          <a href={href('/')}>Tickets</a>
          {data?.isOperator && <a href="/ops">Console</a>}
        </nav>
        <form method="post" action={href('/sign-out')}>
          <button type="submit" className="plain">
            Sign out {data?.name}
          </button>
        </form>
      </header>
      <main>{children}</main>
    </>
  )
}
