import type { LayoutProps } from 'hydrant/react'

export default function Layout({ children, data }: LayoutProps<'/(prefetch)/a'>) {
  return (
    <section>
      <i id="of-a">{data}</i>
      {children}
    </section>
  )
}
