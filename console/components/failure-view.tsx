import type { FailureDetails } from 'hydrant'
import { href } from 'hydrant/react'
import { SideMark, SolvedMark } from './badges.tsx'
import { CopyDigest } from './copy-digest.tsx'
import { ErrorView } from './error-view.tsx'
import classes from './failure.module.css'
import { OccurrenceDetails } from './occurrence-details.tsx'
import { Occurrences } from './occurrences.tsx'
import { Ago, When } from './relative-time.tsx'
import { Sparkline } from './sparkline.tsx'

interface FailureViewProps {
  failure: FailureDetails
  /** The requested digest; null if only its first half was requested. */
  digest: string | null
  isKept: boolean
  /** A sentence about the place; null for none. */
  note: string | null
  hours: readonly number[]
  mayChange: boolean
}

/** Shows one failure: the error, its position, its counts, and the visitor's own request. */
export function FailureView({ failure, digest, isKept, note, hours, mayChange }: FailureViewProps) {
  const { fingerprint, error, occurrences, solvedAt, type } = failure
  return (
    <>
      <title>{`${type} ${fingerprint} · Hydrant console`}</title>
      <p className={classes.back}>
        <a href={href('/')}>All failures</a>
      </p>
      <div className={classes.head}>
        <h1>{type}</h1>
        <CopyDigest digest={digest ?? fingerprint} />
      </div>
      <p className={classes.message}>{error.message}</p>
      <div className={classes.state}>
        <p>
          <SideMark side={failure.side} />{' '}
          {solvedAt === null ? (
            'open'
          ) : (
            <>
              <SolvedMark /> <Ago time={solvedAt} />
            </>
          )}
        </p>
        {mayChange && <SolveForm isSolved={solvedAt !== null} />}
      </div>
      {digest !== null && <OccurrenceDetails digest={digest} occurrence={isKept ? occurrences[0] : undefined} />}
      <section aria-labelledby="error">
        <h2 id="error">Where it failed</h2>
        {note !== null && <p>{note}</p>}
        <ErrorView error={error} />
      </section>
      <section aria-labelledby="often">
        <h2 id="often">How often</h2>
        <Facts failure={failure} />
        <figure className={classes.hours}>
          <Sparkline hours={hours} />
          <figcaption>per hour, in the last 24 hours</figcaption>
        </figure>
      </section>
      <section aria-labelledby="occurrences">
        <h2 id="occurrences">Recent occurrences</h2>
        <Occurrences occurrences={occurrences} asked={digest} />
      </section>
    </>
  )
}

function SolveForm({ isSolved }: { isSolved: boolean }) {
  return (
    <form method="post">
      {isSolved ? (
        <button type="submit" name="intent" value="reopen" className="button button-quiet">
          Reopen
        </button>
      ) : (
        <button type="submit" name="intent" value="solve" className="button">
          Mark as solved
        </button>
      )}
    </form>
  )
}

function Facts({ failure }: Pick<FailureViewProps, 'failure'>) {
  const { count, firstSeen, lastSeen, firstRelease, lastRelease, occurrences } = failure
  const releases = [...new Set([lastRelease, ...occurrences.map(({ release }) => release), firstRelease])]
  const routes = [...new Set(occurrences.flatMap(({ route }) => route ?? []))]
  return (
    <dl className={classes.facts}>
      <div>
        <dt>Times</dt>
        <dd>{count}</dd>
      </div>
      <div>
        <dt>First seen</dt>
        <dd>
          <When time={firstSeen} />
        </dd>
      </div>
      <div>
        <dt>Last seen</dt>
        <dd>
          <When time={lastSeen} />
        </dd>
      </div>
      <div>
        <dt>Phase</dt>
        <dd>{failure.phase}</dd>
      </div>
      <div>
        <dt>{releases.length === 1 ? 'Release' : 'Releases, newest first'}</dt>
        <dd>
          <code>{releases.join(', ')}</code>
        </dd>
      </div>
      {routes.length > 0 && (
        <div>
          <dt>{routes.length === 1 ? 'Route' : 'Routes'}</dt>
          <dd>
            <code>{routes.join(', ')}</code>
          </dd>
        </div>
      )}
    </dl>
  )
}
