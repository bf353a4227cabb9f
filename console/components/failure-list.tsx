import type { FailureSummary } from 'hydrant'
import { href } from 'hydrant/react'
import { FailureRow } from './failure-row.tsx'
import classes from './list.module.css'

interface FailureListProps {
  failures: readonly (FailureSummary & { hours: readonly number[] })[]
  mayChange: boolean
  /** The filters of the list. */
  params: URLSearchParams
}

/** The list of failures. It is a form if the visitor may mark failures as solved. */
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
            Mark selected as solved
          </button>
        )}
        {(solved === 'true' || solved === 'all') && (
          <button type="submit" name="intent" value="reopen" className="button button-quiet">
            Reopen selected
          </button>
        )}
      </p>
    </form>
  )
}
