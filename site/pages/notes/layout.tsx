import type { LayoutProps } from 'hydrant/react'

/** A guard belongs to a layout. This layout adds nothing else. */
export default function NotesLayout({ children }: LayoutProps<'/notes'>) {
  return children
}
