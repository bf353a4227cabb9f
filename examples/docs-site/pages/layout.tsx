import { href, type LayoutProps } from 'hydrant/react'
import { SearchBox } from '../components/search-box.tsx'
import { ThemeForm } from '../components/theme-form.tsx'
import './layout.css'

export default function RootLayout({ data, url, children }: LayoutProps<'/'>) {
  const theme = data?.theme ?? 'system'
  const isSearch = url.pathname === href('/search')
  return (
    <html lang="en" data-theme={theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href={href('/favicon.svg')} />
      </head>
      <body>
        <a className="skip" href="#content">
          Skip to the content
        </a>
        <header className="top">
          <a className="name" href={href('/')}>
            Kettle
          </a>
          <a href={href('/docs/install')}>Documentation</a>
          {/* The key empties the box when the visitor goes to another page. */}
          <SearchBox key={url.href} query={isSearch ? (url.searchParams.get('q') ?? '') : ''} />
          <ThemeForm theme={theme} from={url.pathname + url.search} />
        </header>
        {children}
        <footer>
          <p>
            For language models: <a href={href('/llms.txt')}>llms.txt</a>
          </p>
        </footer>
      </body>
    </html>
  )
}
