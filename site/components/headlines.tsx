import { hrefOfDocument } from '../content/document-href.ts'
import type { Ratios } from '../documentation/ratios.ts'
import classes from './headlines.module.css'
import { listBehind, showGain } from './show-ratio.ts'

/** The figures that visitors of a site notice. */
const SHOWN = [
  { figure: 'From a click to the paint', text: 'as fast from a click to the paint of the next page' },
  { figure: 'First byte of a stream', text: 'as fast to the first byte of a page that waits for data' },
  { figure: 'Scripts of a small page, gzip', text: 'as small: the scripts that a page loads' },
  { figure: 'Requests per second, 100 rows', text: 'as many requests per second for a page with 100 rows' },
] as const

/** What visitors gain, by the ratios to the frameworks in the record. */
export function Headlines({ ratios }: { ratios: Ratios }) {
  const behind = listBehind(ratios)
  return (
    <section className={classes.headlines} aria-labelledby="gain">
      <h2 id="gain">What your visitors gain</h2>
      <dl>
        {SHOWN.map(({ figure, text }) => {
          const gain = showGain(ratios, figure)
          if (gain === null) return null
          return (
            <div key={figure}>
              <dt>{gain}</dt>
              <dd>{text}</dd>
            </div>
          )
        })}
      </dl>
      <p>
        Compared with Next.js, React Router, TanStack Start, Vike and @fastify/react, measured on the same pages on{' '}
        {ratios.date}.{' '}
        {behind.length > 0 && `At least one of them is ahead in other figures: ${behind.join(', ').toLowerCase()}. `}
        <a href={hrefOfDocument('benchmark')}>Benchmark</a> has every figure.
      </p>
    </section>
  )
}
