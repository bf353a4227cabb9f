import type { LayoutProps } from 'hydrant/react'

export default function Layout({ data, children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <title>schemas</title>
      </head>
      <body>
        <p id="layout">{JSON.stringify(data)}</p>
        <main>{children}</main>
      </body>
    </html>
  )
}
