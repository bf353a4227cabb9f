import type { LayoutProps } from 'hydrant/react'
import icon from '../assets/favicon.svg'
import './layout.css'

export default function RootLayout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href={icon} />
      </head>
      <body>{children}</body>
    </html>
  )
}
