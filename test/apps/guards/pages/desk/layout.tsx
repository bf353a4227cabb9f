import type { LayoutProps } from 'hydrant/react'

export default function Layout({ data, children }: LayoutProps<'/desk'>) {
  return (
    <section>
      <p id="desk">{data}</p>
      <a id="to-note" href="/desk/note">
        note
      </a>
      <a id="to-hook" href="/desk/hook">
        hook
      </a>
      <a id="to-leave" href="/leave">
        leave
      </a>
      {children}
    </section>
  )
}
