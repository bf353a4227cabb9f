import { href, type PageProps } from 'hydrant/react'
import { LedgerUnavailable } from '../../components/ledger-unavailable.tsx'
import { Now } from '../../components/relative-time.tsx'
import { SlowRequestView } from '../../components/slow-request-view.tsx'

export default function SlowRequestPage({ data, url }: PageProps<'/slow/[id]'>) {
  if (data.kind === 'unavailable') return <LedgerUnavailable problem={data.problem} url={url} />
  if (data.kind === 'unknown') return <Unknown typed={data.typed} />
  return (
    <Now now={data.now}>
      <SlowRequestView request={data.request} />
    </Now>
  )
}

function Unknown({ typed }: { typed: string }) {
  return (
    <>
      <title>No such request · Hydrant console</title>
      <h1>No such request</h1>
      <p className="lead">
        The ledger has no times of the request <code>{typed}</code>.
      </p>
      <p>
        A request is kept for at most a day, and only if it was among the slowest of its route. The server writes a new
        one after up to 30 seconds. The log has all requests if the option <code>logRequests</code> is on.
      </p>
      <p>
        <a href={href('/slow')}>Slow pages</a>
      </p>
    </>
  )
}
