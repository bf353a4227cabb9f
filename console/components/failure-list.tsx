import type { FailureSummary } from 'hydrant'
import { href } from 'hydrant/react'
import { FailureRow } from './failure-row.tsx'
import classes from './list.module.css'

interface FailureListProps {
  failures: readonly (FailureSummary & { hours: readonly number[] })[]
  mayChange: boolean
  /** What the list is narrowed to. */
  params: URLSearchParams
}

/** The list, as a form where what is chosen can be marked. */
export function FailureList({ failures, mayChange, params }: FailureListProps) {
  const list = (
    <ol className={classes.list}>
      {failures.map((failure) => (
        <FailureRow key={failure.fingerprint} failure={failure} hours={failure.hours} mayChange={mayChange} />
      ))}
    </ol>
  )
  if (!mayChange) return list
  const solved = params.get('solved') ?? ''
  return (
    <form method="post" action={href('/', {}, { search: params })}>
      {list}
      <p className={classes.buttons}>
        {solved !== 'true' && (
          <button type="submit" name="intent" value="solve" className="button button-quiet">
            Mark chosen as solved
          </button>
        )}
        {(solved === 'true' || solved === 'all') && (
          <button type="submit" name="intent" value="reopen" className="button button-quiet">
            Open chosen again
          </button>
        )}
      </p>
    </form>
  )
}
