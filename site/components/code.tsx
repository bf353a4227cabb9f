import { Fragment, type ReactNode } from 'react'
import classes from './code.module.css'
import { type Language, tokenize } from './highlight.ts'

interface CodeProps {
  /** The heading of the sample, usually a file's path. Screen readers announce it. */
  title: string
  language?: Language
  /** A text to mark wherever a token has it (none). */
  mark?: string
  children: string
}

/** A sample of code. It scrolls inside its own box, so the page never scrolls sideways. The keyboard can scroll it. */
export function Code({ title, language = 'tsx', mark, children }: CodeProps) {
  const layout = language === 'json' ? classes.wrapped : classes.code
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.title}>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <pre className={layout} tabIndex={0} role="group" aria-label={title}>
        <code>
          {tokenize(children.trim(), language).map(({ kind, text }, index) => {
            const marked = mark ? withMarks(text, mark) : text
            if (kind === 'plain') return <Fragment key={index}>{marked}</Fragment>
            return (
              <span key={index} className={classes[kind]}>
                {marked}
              </span>
            )
          })}
        </code>
      </pre>
    </figure>
  )
}

function withMarks(text: string, mark: string): ReactNode[] {
  return text.split(mark).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <mark>{mark}</mark>}
      {part}
    </Fragment>
  ))
}
