import classes from './code.module.css'
import { type Language, tokenize } from './highlight.ts'

interface CodeProps {
  /** The heading of the sample, usually a file's path. Screen readers announce it. */
  title: string
  language?: Language
  children: string
}

/** A sample of code. It scrolls inside its own box, so the page never scrolls sideways. The keyboard can scroll it. */
export function Code({ title, language = 'tsx', children }: CodeProps) {
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.title}>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would need a heading of its own */}
      <pre className={language === 'text' ? classes.prose : classes.code} tabIndex={0} role="region" aria-label={title}>
        <code>
          {tokenize(children.trim(), language).map((token, index) =>
            token.kind === 'plain' ? (
              token.text
            ) : (
              <span key={index} className={classes[token.kind]}>
                {token.text}
              </span>
            ),
          )}
        </code>
      </pre>
    </figure>
  )
}
