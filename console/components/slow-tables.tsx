import type { SlowReport } from 'hydrant'
import { href } from 'hydrant/react'
import { duration, percent, stepName } from '../lib/duration.ts'
import { Ago } from './relative-time.tsx'
import classes from './slow.module.css'
import { Hints } from './slow-first.tsx'

type Route = SlowReport['routes'][number]
type Step = Route['steps'][number]

const COLUMNS = 6

/** The routes with their steps, by their share of all time. */
export function SlowRoutes({ routes }: Pick<SlowReport, 'routes'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.scroll} tabIndex={0} role="group" aria-labelledby="routes">
      <table className={classes.table}>
        <caption>
          <span className={classes.caption}>
            The share is that of the time of all requests. Steps that run at the same time, or inside others, add up to
            more than 100 %.
          </span>
        </caption>
        <thead>
          <tr>
            <th scope="col">Route or step</th>
            <th scope="col">Share</th>
            <th scope="col">Count</th>
            <th scope="col">p50</th>
            <th scope="col">p95</th>
            <th scope="col">p99</th>
          </tr>
        </thead>
        {routes.map(({ route, steps, ...row }) => (
          <tbody key={route}>
            <Row row={row} isStep={false} name={route === '' ? 'of no known step' : route} />
            {steps.map((step) => (
              <Row key={stepName(step)} row={step} isStep name={stepName(step)} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

/** Classes of steps that are in none, one or more other steps. */
const DEPTHS = [undefined, classes.inner, classes.innermost]

/** The name of a step, indented if it is in others. */
export function Name({ depth, children }: { depth: number; children: string }) {
  return <code className={DEPTHS[Math.min(depth, DEPTHS.length - 1)]}>{children}</code>
}

function Row({ row, name, isStep }: { row: Step; name: string; isStep: boolean }) {
  const kind = isStep ? classes.step : classes.route
  return (
    <>
      <tr className={row.hints.length > 0 ? `${kind} ${classes.explained}` : kind}>
        <th scope="row">
          <Name depth={row.depth}>{name}</Name>
        </th>
        <td>
          <Bar from={0} length={row.share} />
          <span className={classes.percent}>{percent(row.share)}</span>
        </td>
        <td>{row.count}</td>
        <td>{duration(row.p50Ms)}</td>
        <td>{duration(row.p95Ms)}</td>
        <td>{duration(row.p99Ms)}</td>
      </tr>
      {row.hints.length > 0 && (
        <tr className={kind}>
          <td colSpan={COLUMNS} className={classes.cause}>
            <Hints hints={row.hints} />
          </td>
        </tr>
      )}
    </>
  )
}

const WIDTH = 100

/** A part of a whole, both from 0 to 1. The numbers beside it say the same. */
export function Bar({ from, length }: { from: number; length: number }) {
  const start = Math.min(Math.max(from, 0), 1) * WIDTH
  const width = Math.min(Math.max(length * WIDTH, 0.5), WIDTH - start)
  return (
    <svg className={classes.bar} aria-hidden="true" viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none">
      <rect width={WIDTH} height="1" className={classes.whole} />
      <rect x={Math.min(start, WIDTH - 0.5)} width={Math.max(width, 0.5)} height="1" className={classes.part} />
    </svg>
  )
}

/** The slowest requests that are kept, with links to their steps. */
export function SlowestRequests({ slowest }: Pick<SlowReport, 'slowest'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.scroll} tabIndex={0} role="group" aria-labelledby="slowest">
      <table className={`${classes.table} ${classes.texts}`}>
        <caption>
          <span className={classes.caption}>Each id leads to the steps of its request.</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">Request id</th>
            <th scope="col">Took</th>
            <th scope="col">When</th>
            <th scope="col">Request</th>
            <th scope="col">Route</th>
            <th scope="col">Sent</th>
          </tr>
        </thead>
        <tbody>
          {slowest.map(({ id, durationMs, time, method, path, route, status }) => (
            <tr key={id}>
              <th scope="row">
                <a href={href('/slow/[id]', { id })}>{id}</a>
              </th>
              <td>{duration(durationMs)}</td>
              <td>
                <Ago time={time} />
              </td>
              <td>
                {method} {path}
              </td>
              <td>
                <code>{route}</code>
              </td>
              <td>{status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
