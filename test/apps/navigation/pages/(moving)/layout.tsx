import type { LayoutProps } from 'hydrant/react'

const STYLE = `
@keyframes move { from { translate: 9px } }
::view-transition-old(*), ::view-transition-new(*) { animation-duration: 50ms }
::view-transition-new(.from-right), ::view-transition-old(.to-right) { animation: move 50ms }
`

export default function Layout({ children }: LayoutProps) {
  return (
    <>
      <style>{STYLE}</style>
      <nav>
        <a href="/one">one</a>
        <a href="/two">two</a>
        <a href="/moves">moves</a>
      </nav>
      {children}
    </>
  )
}
