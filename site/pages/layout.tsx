import type { LayoutProps } from 'hydrant/react'
import { Mark } from '../components/mark.tsx'
import './layout.css'

const LINKS = [
  { href: '/start', label: 'Start' },
  { href: '/docs', label: 'Docs' },
  { href: '/failures', label: 'Failures' },
]

export default function RootLayout({ children, url }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      </head>
      <body>
        <a className="skip-link" href="#content">
          Skip to the content
        </a>
        <header className="site-header">
          <a className="site-name" href="/" aria-current={url.pathname === '/' ? 'page' : undefined}>
            <Mark />
            Hydrant
          </a>
          <nav aria-label="Site">
            {LINKS.map(({ href, label }) => (
              <a key={href} href={href} aria-current={currentness(url.pathname, href)}>
                {label}
              </a>
            ))}
          </nav>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <footer className="site-footer">
          <p>
            This site is served by Hydrant. Every page that loads data also answers as JSON:{' '}
            <code>curl -H 'Accept: application/json'</code>
          </p>
          <p>MIT licence</p>
        </footer>
      </body>
    </html>
  )
}

function currentness(pathname: string, href: string): 'page' | 'true' | undefined {
  if (pathname === href) return 'page'
  return pathname.startsWith(`${href}/`) ? 'true' : undefined
}
