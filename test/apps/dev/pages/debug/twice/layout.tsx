import type { LayoutProps } from 'hydrant/react'

export default function Twice({ children }: LayoutProps) {
  return (
    <>
      <title>of the layout</title>
      <link rel="canonical" href="https://site.example/of the layout" />
      <meta name="description" content="of the layout" />
      <meta property="og:title" content="of the layout" />
      {children}
    </>
  )
}
