import type { LayoutProps } from 'hydrant/react'
import type { load } from './layout.server.ts'

export default function FailingLayout({ children, data }: LayoutProps<typeof load>) {
  return (
    <section>
      <p>{data.name}</p>
      {children}
    </section>
  )
}
