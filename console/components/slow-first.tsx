import type { SlowReport } from 'hydrant'
import { percent, stepName } from '../lib/duration.ts'
import classes from './slow.module.css'

/** What takes the most time, with its cause. */
export function MendFirst({ first }: { first: NonNullable<SlowReport['first']> }) {
  const [route = '', ...others] = first.routes
  return (
    <section className={classes.first} aria-labelledby="first">
      <h2 id="first">Mend first</h2>
      <p>
        {first.kind === 'request' && 'What is in no step'}
        {first.kind === 'loop' && 'Code of no known step'}
        {first.kind !== 'request' && first.kind !== 'loop' && <code>{stepName(first)}</code>}
        {route !== '' && (
          <>
            {' of '}
            <code>{route}</code>
            {others.length > 0 && ` and ${others.length} more ${others.length === 1 ? 'route' : 'routes'}`}
          </>
        )}
        , <strong>{percent(first.share)}</strong> of all time
      </p>
      <Hints hints={first.hints} />
    </section>
  )
}

/** What makes a step slow, in words. */
export function Hints({ hints }: { hints: readonly string[] }) {
  if (hints.length === 0) return null
  return (
    <ul className={classes.hints}>
      {hints.map((hint) => (
        <li key={hint}>{hint}</li>
      ))}
    </ul>
  )
}
