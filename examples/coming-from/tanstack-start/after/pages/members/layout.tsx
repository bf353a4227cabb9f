import type { LayoutProps } from 'hydrant/react'

export default function MembersLayout({ children }: LayoutProps<'/members'>) {
  return children
}
