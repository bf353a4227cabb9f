import { href, type LayoutProps } from 'hydrant/react'
import type { ReactNode } from 'react'
import { Mark } from '../components/mark.tsx'
import './layout.css'

const LINKS = [
  { to: href('/start'), label: 'Get started' },
  { to: href('/docs'), label: 'Docs' },
  { to: href('/notes'), label: 'Notes' },
  { to: href('/failures'), label: 'Failures' },
]

export default function RootLayout({ children, url }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={href('/favicon.svg')} type="image/svg+xml" />
      </head>
      <body>
        <a className="skip-link" href="#content">
          Skip to the content
        </a>
        <header className="site-header">
          <a className="site-name" href={href('/')} aria-current={url.pathname === href('/') ? 'page' : undefined}>
            <Mark />
            Hydrant
          </a>
          <nav aria-label="Site">
            {LINKS.map(({ to, label }) => (
              <a key={to} href={to} aria-current={currentness(url.pathname, to)}>
                {label}
              </a>
            ))}
          </nav>
        </header>
        <Content isWhole={!isWithin(url.pathname, href('/docs'))}>{children}</Content>
        <footer className="site-footer">
          <p>
            This site is served by Hydrant. Every page that loads data is also available as JSON:{' '}
            <code>curl -H 'Accept: application/json'</code>
          </p>
          <p>MIT license</p>
        </footer>
      </body>
    </html>
  )
}

/** The documentation has its list next to its content, so its own layout says which part is the content. */
function Content({ isWhole, children }: { isWhole: boolean; children: ReactNode }) {
  if (!isWhole) return <div className="site-content">{children}</div>
  return (
    <main className="site-content" id="content" tabIndex={-1}>
      {children}
    </main>
  )
}

function currentness(pathname: string, to: string): 'page' | 'true' | undefined {
  if (pathname === to) return 'page'
  return isWithin(pathname, to) ? 'true' : undefined
}

function isWithin(pathname: string, to: string): boolean {
  return pathname === to || pathname.startsWith(`${to}/`)
}
