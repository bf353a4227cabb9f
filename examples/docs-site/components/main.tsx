import type { ReactNode } from 'react'

/** The content of a page, with its title. The skip link of the root layout leads to it. */
export function Main({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main id="content" tabIndex={-1}>
      <title>{title === 'Kettle' ? title : `${title} · Kettle`}</title>
      <h1>{title}</h1>
      {children}
    </main>
  )
}
