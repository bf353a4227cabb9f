import type { LayoutProps } from 'hydrant/react'
import './layout.css'

export default function Layout({ children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta name="color-scheme" content="light dark" />
      </head>
      <body>
        <header>header</header>
        {children}
        <footer>footer</footer>
      </body>
    </html>
  )
}
