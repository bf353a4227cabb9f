import type { LayoutProps } from 'hydrant/react'
import type { ReactNode } from 'react'

export default function BrokenLayout(_props: LayoutProps<'/failures/f14-layout'>): ReactNode {
  throw new Error('SECRET-MARKER f14-layout: a layout fails while it renders')
}
