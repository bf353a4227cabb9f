import type { LayoutProps } from 'hydrant/react'

export default function Layout({ children }: LayoutProps) {
  return (
    <>
      <nav>
        <a href="/width">width</a>
        <a href="/plain">plain</a>
      </nav>
      {children}
    </>
  )
}
