import type { LayoutProps } from 'hydrant/react'

export default function Layout({ children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <title>Site</title>
      </head>
      <body>
        <b id="layout">layout</b>
        {children}
      </body>
    </html>
  )
}
