import { href, type LayoutProps } from 'hydrant/react'
import icon from '../assets/favicon.svg'
import './layout.css'

/** Surrounds all pages. It keeps its state when the visitor goes from page to page. */
export default function RootLayout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href={icon} />
      </head>
      <body className="mx-auto max-w-2xl p-4 leading-relaxed dark:bg-stone-900 dark:text-stone-100">
        <nav className="mb-8 flex gap-4 text-accent underline dark:text-orange-400">
          <a href={href('/')}>Home</a>
          <a href={href('/guestbook')}>Guestbook</a>
        </nav>
        <main>{children}</main>
      </body>
    </html>
  )
}
