import type { LayoutProps } from 'hydrant/react'

export default function Layout({ children }: LayoutProps) {
  return (
    <>
      <nav>
        <a href="/files" id="to-home">
          home
        </a>
        <a href="/files/other" id="to-other">
          other
        </a>
      </nav>
      {children}
    </>
  )
}
