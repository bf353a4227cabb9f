import type { ReactNode } from 'react'
import classes from './section.module.css'

interface SectionProps {
  /** The id of the section in the address: `#deferred`. */
  id: string
  title: string
  children: ReactNode
}

export function Section({ id, title, children }: SectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className={classes.title}>
        <a href={`#${id}`}>{title}</a>
      </h2>
      {children}
    </section>
  )
}
