import type { FailureSummary } from 'hydrant'
import { href } from 'hydrant/react'
import { SideMark, SolvedMark } from './badges.tsx'
import classes from './list.module.css'
import { Ago } from './relative-time.tsx'
import { Sparkline } from './sparkline.tsx'

interface FailureRowProps {
  failure: FailureSummary
  hours: readonly number[]
  /** Whether the row has a checkbox. */
  mayChange: boolean
}

/** One failure in the list. */
export function FailureRow({ failure, hours, mayChange }: FailureRowProps) {
  const { fingerprint, side, type, message, source, route, count, firstSeen, lastSeen, solvedAt } = failure
  return (
    <li className={mayChange ? `${classes.row} ${classes.choosable}` : classes.row}>
      {mayChange && (
        <label className={classes.choice}>
          <input type="checkbox" name="fingerprint" value={fingerprint} />
          <span className="visually-hidden">{`Select ${type} ${fingerprint}`}</span>
        </label>
      )}
      <div className={classes.what}>
        <p className={classes.title}>
          <a href={href('/failures/[digest]', { digest: fingerprint })}>
            <strong>{type}</strong> <span className={classes.message}>{message}</span>
          </a>
        </p>
        <p className={classes.where}>
          <SideMark side={side} /> {solvedAt !== null && <SolvedMark />} <code>{fingerprint}</code>{' '}
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
        <span className={classes.last}>
          first <Ago time={firstSeen} />
        </span>
      </p>
    </li>
  )
}
