import type { LayoutProps } from 'hydrant/react'

export default function Layout({ data, children }: LayoutProps<'/shop'>) {
  return (
    <main>
      <h2>{data.shop.name}</h2>
      {children}
    </main>
  )
}
