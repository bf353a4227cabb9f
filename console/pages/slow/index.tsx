import { href, type PageProps } from 'hydrant/react'
import { LedgerUnavailable } from '../../components/ledger-unavailable.tsx'
import { Now } from '../../components/relative-time.tsx'
import { MendFirst } from '../../components/slow-first.tsx'
import { SlowestRequests, SlowRoutes } from '../../components/slow-tables.tsx'
import { duration } from '../../lib/duration.ts'
import { moment } from '../../lib/times.ts'

const SPANS = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
] as const

export default function Slow({ data, url }: PageProps<'/slow'>) {
  if (data.kind === 'unavailable') return <LedgerUnavailable problem={data.problem} url={url} />
  const { report, problem, hasLedger, now } = data
  const route = url.searchParams.get('route') ?? ''
  return (
    <Now now={now}>
      <title>Slow pages · Hydrant console</title>
      <h1>Slow pages</h1>
      {problem !== null && <p role="alert">An invalid part of the address is ignored: {problem}</p>}
      <Spans chosen={problem === null ? url.searchParams.get('since') || '1h' : '1h'} route={route} />
      {report.routes.length === 0 ? (
        <Nothing hasLedger={hasLedger} route={route} />
      ) : (
        <>
          <p className="lead">
            {report.requests.toLocaleString('en')} {report.requests === 1 ? 'request' : 'requests'} since{' '}
            {moment(report.since)}, {duration(report.totalMs)} in all
          </p>
          {report.first && <MendFirst first={report.first} />}
          <section aria-labelledby="routes">
            <h2 id="routes">Routes and their steps</h2>
            <SlowRoutes routes={report.routes} />
            {report.moreRoutes > 0 && (
              <p>
                {report.moreRoutes} more {report.moreRoutes === 1 ? 'route' : 'routes'} with less time.
              </p>
            )}
          </section>
          {report.slowest.length > 0 && (
            <section aria-labelledby="slowest">
              <h2 id="slowest">Slowest requests</h2>
              <SlowestRequests slowest={report.slowest} />
            </section>
          )}
        </>
      )}
    </Now>
  )
}

function Spans({ chosen, route }: { chosen: string; route: string }) {
  return (
    <nav aria-label="Time" className="spans">
      {SPANS.map(([since, text]) => (
        <a
          key={since}
          href={href('/slow', {}, { search: route === '' ? { since } : { since, route } })}
          aria-current={since === chosen ? 'page' : undefined}
        >
          {text}
        </a>
      ))}
      {route !== '' && <a href={href('/slow', {}, { search: { since: chosen } })}>All routes</a>}
    </nav>
  )
}

function Nothing({ hasLedger, route }: { hasLedger: boolean; route: string }) {
  if (!hasLedger) return <p className="lead">No times are kept here, because the option “ledger” is false.</p>
  return (
    <>
      <p className="lead">
        No request{' '}
        {route !== '' && (
          <>
            of <code>{route}</code>{' '}
          </>
        )}
        was measured in this time.
      </p>
      <p>Visit a page of the site. The server writes the times every 30 seconds: reload this page then.</p>
    </>
  )
}
