import type { LayoutProps } from 'hydrant/react'

export default function Layout({ data, children }: LayoutProps<'/vault'>) {
  return (
    <section>
      <p id="user">{data}</p>
      <input id="kept" />
      {children}
    </section>
  )
}
