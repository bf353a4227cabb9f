import type { LayoutProps } from 'hydrant/react'

export default function Layout({ children }: LayoutProps) {
  return (
    <>
      <nav>
        <a id="to-one" href="/moves/one">
          one
        </a>
        <a id="to-two" href="/moves/two">
          two
        </a>
        <a id="to-slow" href="/moves/slow">
          slow
        </a>
      </nav>
      {children}
    </>
  )
}
