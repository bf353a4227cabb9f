import type { ReactNode } from 'react'

export function Frame({ id, children }: { id: string; children: ReactNode }) {
  return <b id={id}>{children}</b>
}
