import type { LayoutProps } from 'hydrant/react'
import { build } from '../parts/build.ts'
import './layout.css'

export default function Layout({ children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <title>{build}</title>
      </head>
      <body>
        {children}
        <a href="/other">other</a>
      </body>
    </html>
  )
}
