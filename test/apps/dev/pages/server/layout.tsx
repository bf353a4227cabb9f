import type { LayoutProps } from 'hydrant/react'

export default function Layout({ children, data }: LayoutProps<'/server'>) {
  return (
    <>
      <b id="of-layout">{data.layout}</b>
      {children}
    </>
  )
}
