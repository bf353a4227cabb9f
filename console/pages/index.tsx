import { href, type PageProps } from 'hydrant/react'
import { ConnectionLost } from '../components/connection-lost.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { FailureList } from '../components/failure-list.tsx'
import { Filters } from '../components/filters.tsx'
import { LedgerUnavailable } from '../components/ledger-unavailable.tsx'
import { Pages } from '../components/pages.tsx'
import { Problem } from '../components/problem.tsx'
import { Now } from '../components/relative-time.tsx'

export default function Failures({ data, actionData, url }: PageProps<'/'>) {
  if (data.kind === 'unavailable') return <LedgerUnavailable problem={data.problem} url={url} />
  const { failures, problems, next, mayChange } = data
  const params = withoutFilters(url.searchParams, Object.keys(problems))
  return (
    <Now now={data.now}>
      <title>Failures · Hydrant console</title>
      <h1>Failures</h1>
      <ConnectionLost />
      <Problem text={actionData?.problem} />
      {data.isEmpty ? (
        <EmptyState hasLedger={data.hasLedger} />
      ) : (
        <>
          <Filters params={params} releases={data.releases} key={url.search} />
          <IgnoredFilters problems={Object.values(problems)} />
          {failures.length === 0 && (
            <p className="lead">
              No failures match. <a href={href('/', {}, { search: { solved: 'all' } })}>Show all</a>
            </p>
          )}
          {failures.length > 0 && <FailureList failures={failures} mayChange={mayChange} params={params} />}
          <Pages next={next} params={params} />
        </>
      )}
    </Now>
  )
}

/** Says which filters of the URL are invalid. */
function IgnoredFilters({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null
  return <p role="alert">The list ignores invalid filters: {problems.join(' ')}</p>
}

function withoutFilters(params: URLSearchParams, names: readonly string[]): URLSearchParams {
  const valid = new URLSearchParams(params)
  for (const name of names) valid.delete(name)
  return valid
}
