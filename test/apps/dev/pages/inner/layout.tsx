import type { LayoutProps } from 'hydrant/react'

export default function Inner({ children }: LayoutProps) {
  return (
    <section>
      <b id="inner">inner</b>
      {children}
    </section>
  )
}
