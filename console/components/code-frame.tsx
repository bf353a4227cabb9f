import type { CodeLines, SourceFrame } from 'hydrant'
import classes from './code-frame.module.css'

/** Shows the source around a frame and marks the line that failed. */
export function CodeFrame({ frame, code }: { frame: SourceFrame; code: CodeLines }) {
  const { file, line, column } = frame
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.title}>
        <strong>
          {file}:{line}:{column}
        </strong>
        {frame.function && ` in ${frame.function}`}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className={classes.scroll} tabIndex={0} aria-label={`${file}, line ${line}`}>
        <pre className={classes.code}>
          {code.lines.map((text, index) => {
            const number = code.firstLine + index
            const isFailing = number === line
            const Line = isFailing ? 'mark' : 'span'
            return (
              <Line key={number} className={isFailing ? classes.failing : classes.line}>
                <span className={classes.number}>{number}</span>
                {text}
                {'\n'}
              </Line>
            )
          })}
        </pre>
      </section>
    </figure>
  )
}
