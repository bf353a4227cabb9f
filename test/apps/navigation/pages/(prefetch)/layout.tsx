import { type LayoutProps, prefetch } from 'hydrant/react'

// For the test.
Object.assign(globalThis, { prefetch })

export default function Layout({ children }: LayoutProps) {
  return (
    <>
      <nav>
        <a href="/links">links</a>
        <a href="/a">a</a>
        <a href="/a/b">b</a>
        <a href="/target">target</a>
        <a href="/fails-once">fails</a>
        <a href="/sign-in">sign in</a>
      </nav>
      {children}
    </>
  )
}
