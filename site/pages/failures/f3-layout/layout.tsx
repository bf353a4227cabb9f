import type { LayoutProps } from 'hydrant/react'

export default function FailingLayout({ children, data }: LayoutProps<'/failures/f3-layout'>) {
  return (
    <section>
      <p>{data.name}</p>
      {children}
    </section>
  )
}
