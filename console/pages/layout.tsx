import { href, type LayoutProps } from 'hydrant/react'
import { Logo } from '../components/logo.tsx'
import './layout.css'

export default function Layout({ data, url, children }: LayoutProps<'/'>) {
  const isSigningIn = url.pathname === href('/sign-in')
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href={href('/favicon.svg')} type="image/svg+xml" />
      </head>
      <body>
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        <header className="site-header">
          <a className="site-name" href={href('/')} aria-current={url.pathname === href('/') ? 'page' : undefined}>
            <Logo />
            <span>
              Hydrant <small>console</small>
            </span>
          </a>
          {!isSigningIn && (
            <nav className="site-pages" aria-label="Console">
              <a href={href('/')} aria-current={url.pathname === href('/') ? 'page' : undefined}>
                Failures
              </a>
              <a href={href('/slow')} aria-current={isIn(url, href('/slow')) ? 'page' : undefined}>
                Slow
              </a>
              <a href={href('/cache')} aria-current={url.pathname === href('/cache') ? 'page' : undefined}>
                Page cache
              </a>
            </nav>
          )}
          {!isSigningIn && (
            <form className="find" action={href('/find')}>
              <label className="visually-hidden" htmlFor="digest">
                Digest or request id
              </label>
              <input
                id="digest"
                name="digest"
                placeholder="Digest or request id"
                autoComplete="off"
                spellCheck={false}
                required
              />
              <button type="submit" className="button">
                Find
              </button>
            </form>
          )}
          {data.canSignOut && !isSigningIn && (
            <form method="post" action={href('/sign-in')}>
              <button type="submit" name="intent" value="out" className="button button-quiet">
                Sign out
              </button>
            </form>
          )}
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </body>
    </html>
  )
}

function isIn({ pathname }: URL, folder: string): boolean {
  return pathname === folder || pathname.startsWith(`${folder}/`)
}
