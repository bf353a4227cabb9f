import type { LayoutProps } from 'hydrant/react'
import './layout.css'

export default function Layout({ data, children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta name="color-scheme" content="light dark" />
        <script type="application/ld+json">{JSON.stringify(data)}</script>
        <style>{'/* </head> */'}</style>
      </head>
      <body>
        <header>header</header>
        {children}
        <footer>footer</footer>
      </body>
    </html>
  )
}
