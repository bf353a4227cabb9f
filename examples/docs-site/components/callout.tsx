import type { ReactNode } from 'react'

export function Callout({ kind, children }: { kind: 'Note' | 'Warning'; children: ReactNode }) {
  return (
    <div role="note" className={`callout ${kind.toLowerCase()}`}>
      <p>
        <strong>{kind}</strong>
      </p>
      {children}
    </div>
  )
}
