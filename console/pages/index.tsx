import { href, type PageProps } from 'hydrant/react'
import { Lost } from '../components/connection-lost.tsx'
import { Empty } from '../components/empty-state.tsx'
import { FailureList } from '../components/failure-list.tsx'
import { Filters } from '../components/filters.tsx'
import { Away } from '../components/ledger-unavailable.tsx'
import { Pages } from '../components/pages.tsx'
import { Problem } from '../components/problem.tsx'
import { Now } from '../components/relative-time.tsx'
import { useLive } from '../components/use-live.ts'
import type { action, load } from './index.server.ts'

export default function Failures({ data: loaded, actionData, url }: PageProps<typeof load, typeof action>) {
  const { data, isLost } = useLive(loaded)
  if (data.kind === 'away') return <Away problem={data.problem} url={url} />
  const { failures, problem, next, mayChange } = data
  return (
    <Now now={data.now}>
      <title>Failures · Hydrant console</title>
      <h1>Failures</h1>
      <Lost isLost={isLost} />
      <Problem text={actionData?.problem} />
      {data.isEmpty ? (
        <Empty hasLedger={data.hasLedger} />
      ) : (
        <>
          <Filters params={url.searchParams} releases={data.releases} key={url.search} />
          {problem !== null && <p role="alert">{problem}</p>}
          {problem === null && failures.length === 0 && (
            <p className="lead">
              No failures match. <a href={href('/', {}, { search: { solved: 'all' } })}>Show all</a>
            </p>
          )}
          {failures.length > 0 && <FailureList failures={failures} mayChange={mayChange} params={url.searchParams} />}
          <Pages next={next} params={url.searchParams} />
        </>
      )}
    </Now>
  )
}
