import type { LayoutProps } from 'hydrant/react'
import './layout.css'

/** The end of every page. A response that was cut does not contain it. */
const END = 'The end of the page.'

export default function Layout({ children, data }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>{data.name}</title>
      </head>
      <body>
        {children}
        <footer>{END}</footer>
      </body>
    </html>
  )
}
