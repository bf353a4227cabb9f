import type { CauseSummary } from 'hydrant'
import { href } from 'hydrant/react'
import classes from './list.module.css'
import { SideMark, SolvedMark } from './marks.tsx'
import { Ago } from './now.tsx'
import { Sparkline } from './sparkline.tsx'

/** A failure in the list. */
export function FailureRow({ failure, hours }: { failure: CauseSummary; hours: readonly number[] }) {
  const { cause, side, type, message, source, route, count, lastSeen, solvedAt } = failure
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <p className={classes.title}>
          <a href={href('/failures/[digest]', { digest: cause })}>
            <strong>{type}</strong> <span className={classes.message}>{message}</span>
          </a>
        </p>
        <p className={classes.where}>
          <SideMark side={side} /> {solvedAt !== null && <SolvedMark />} <code>{cause}</code>{' '}
          {source && (
            <code className={classes.source}>
              {source.file}
              {source.line > 0 && `:${source.line}`}
            </code>
          )}{' '}
          {route !== null && <span>on {route}</span>}
        </p>
      </div>
      <div className={classes.hours}>
        <Sparkline hours={hours} />
      </div>
      <p className={classes.count}>
        <strong>{count}</strong> {count === 1 ? 'time' : 'times'}
        <span className={classes.last}>
          <span className="visually-hidden">last </span>
          <Ago time={lastSeen} />
        </span>
      </p>
    </li>
  )
}
