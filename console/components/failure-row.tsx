import type { CauseSummary } from 'hydrant'
import { href } from 'hydrant/react'
import { SideMark, SolvedMark } from './badges.tsx'
import classes from './list.module.css'
import { Ago } from './relative-time.tsx'
import { Sparkline } from './sparkline.tsx'

interface FailureRowProps {
  failure: CauseSummary
  hours: readonly number[]
  /** Can it be chosen, to be marked? */
  mayChange: boolean
}

/** A failure in the list. */
export function FailureRow({ failure, hours, mayChange }: FailureRowProps) {
  const { cause, side, type, message, source, route, count, firstSeen, lastSeen, solvedAt } = failure
  return (
    <li className={mayChange ? `${classes.row} ${classes.choosable}` : classes.row}>
      {mayChange && (
        <label className={classes.choice}>
          <input type="checkbox" name="cause" value={cause} />
          <span className="visually-hidden">{`Choose ${type} ${cause}`}</span>
        </label>
      )}
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
        <span className={classes.last}>
          first <Ago time={firstSeen} />
        </span>
      </p>
    </li>
  )
}
