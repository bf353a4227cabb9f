import type { Occurrence } from 'hydrant'
import { serverOf } from '../lib/server-of.ts'
import classes from './failure.module.css'
import { When } from './relative-time.tsx'

/** Shows the request that a whole digest identifies. */
export function OccurrenceDetails({ digest, occurrence }: { digest: string; occurrence: Occurrence | undefined }) {
  return (
    <section aria-labelledby="request" className={classes.asked}>
      <h2 id="request">The visitor’s request</h2>
      {occurrence ? (
        <Request occurrence={occurrence} />
      ) : (
        <p>
          The occurrence <code>{digest}</code> is no longer kept, or has never been. The log has it as long as you keep
          the log. What follows is what is known of the failure.
        </p>
      )}
    </section>
  )
}

function Request({ occurrence }: { occurrence: Occurrence }) {
  const { time, message, method, path, host, statusSent, release, userAgent, requestId, isRecovered } = occurrence
  return (
    <dl className={classes.facts}>
      <div>
        <dt>When</dt>
        <dd>
          <When time={time} />
        </dd>
      </div>
      <Fact name="Request" value={path === null ? null : `${method ?? ''} ${host ?? ''}${path}`.trim()} />
      <Fact name="Route" value={occurrence.route} />
      <Fact name="Phase" value={occurrence.phase} />
      <Fact name="Message" value={message} />
      <Fact
        name="The visitor got"
        value={isRecovered ? 'the page anyway' : statusSent === null ? null : String(statusSent)}
      />
      <Fact name="User agent" value={userAgent} />
      <Fact name="Pending" value={occurrence.pending?.join(', ') ?? null} />
      <Fact name="Release" value={release} />
      <Fact name="Build" value={occurrence.build === release ? null : (occurrence.build ?? null)} />
      <Fact name="Server" value={serverOf(occurrence)} />
      <Fact name="Request id" value={requestId} />
      <Fact name="Trace id" value={occurrence.traceId ?? null} />
    </dl>
  )
}

function Fact({ name, value }: { name: string; value: string | null }) {
  if (value === null || value === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
