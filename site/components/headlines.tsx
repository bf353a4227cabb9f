import { href } from 'hydrant/react'
import type { Ratios } from '../documentation/ratios.ts'
import classes from './headlines.module.css'
import { BEHIND, listRatios, showRatio } from './show-ratio.ts'

/** The figures that matter most to visitors, and one that speaks against Hydrant. A cost is shown as a factor above 1. */
const SHOWN = [
  { figure: 'Requests per second, 100 rows', isCost: false, text: 'the requests per second, for a page with 100 rows' },
  { figure: 'From a click to the paint', isCost: false, text: 'as fast from a click to the paint of the next page' },
  { figure: 'Scripts of a small page, gzip', isCost: false, text: 'as small: the scripts of a small page' },
  { figure: 'Idle memory', isCost: true, text: 'the memory of an idle server' },
] as const

/** The ratios to the frameworks in the record, in short. */
export function Headlines({ ratios }: { ratios: Ratios }) {
  return (
    <div className={classes.headlines}>
      <dl>
        {SHOWN.map(({ figure, isCost, text }) => (
          <div key={figure}>
            <dt>{showRange(ratios, figure, isCost)}</dt>
            <dd>
              {text}
              {isBehind(ratios, figure) && ': Hydrant is behind'}
            </dd>
          </div>
        ))}
      </dl>
      <p>
        Compared with Next.js, React Router, TanStack Start, Vike and @fastify/react, measured on the same pages on{' '}
        {ratios.date}. <a href={`${href('/')}#ratios`}>All ratios</a>, also those below 1.
      </p>
    </div>
  )
}

/** Returns the lowest and the highest ratio to a framework: `1.18 to 1.83×`. */
function showRange(ratios: Ratios, title: string, isCost: boolean): string {
  const shown = listRatios(ratios, title).map((ratio) => (isCost ? 1 / ratio : ratio))
  return shown.length === 0 ? '–' : `${showRatio(Math.min(...shown))} to ${showRatio(Math.max(...shown))}×`
}

function isBehind(ratios: Ratios, title: string): boolean {
  const listed = listRatios(ratios, title)
  return listed.length > 0 && Math.max(...listed) < BEHIND
}
