import type { LayoutProps } from 'hydrant/react'

export default function Framed({ children }: LayoutProps) {
  return <div>{children}</div>
}
