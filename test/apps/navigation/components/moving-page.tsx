import { type ReactNode, ViewTransition } from 'react'

export function MovingPage({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <ViewTransition>
      <div>
        <h1>{title}</h1>
        {children}
      </div>
    </ViewTransition>
  )
}
