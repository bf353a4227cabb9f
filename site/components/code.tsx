import classes from './code.module.css'
import { type Language, tokenize } from './highlight.ts'

interface CodeProps {
  /** What a screen reader announces, and what stands above the sample: usually a file's path. */
  title: string
  language?: Language
  children: string
}

/** A sample of code. It scrolls by itself, so that the page never does, and can be scrolled by keyboard. */
export function Code({ title, language = 'tsx', children }: CodeProps) {
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.title}>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
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
