import { href, type PageProps } from 'hydrant/react'
import { Empty } from '../components/empty.tsx'
import { FailureRow } from '../components/failure-row.tsx'
import { Filters } from '../components/filters.tsx'
import classes from '../components/list.module.css'
import { Lost } from '../components/lost.tsx'
import { Now } from '../components/now.tsx'
import { useLive } from '../components/use-live.ts'
import type { load } from './index.server.ts'

export default function Failures({ data: loaded, url }: PageProps<typeof load>) {
  const { data, isLost } = useLive(loaded)
  const { failures, problem } = data
  return (
    <Now now={data.now}>
      <title>Failures · Hydrant console</title>
      <h1>Failures</h1>
      <Lost isLost={isLost} />
      {data.isEmpty ? (
        <Empty hasLedger={data.hasLedger} />
      ) : (
        <>
          <Filters params={url.searchParams} key={url.search} />
          {problem !== null && <p role="alert">{problem}</p>}
          {problem === null && failures.length === 0 && (
            <p className="lead">
              No failure fits. <a href={href('/', {}, { search: { solved: 'all' } })}>Show all</a>
            </p>
          )}
          {failures.length > 0 && (
            <ol className={classes.list}>
              {failures.map((failure) => (
                <FailureRow key={failure.cause} failure={failure} hours={failure.hours} />
              ))}
            </ol>
          )}
          {data.isCut && <p>Only those seen last are shown: filter to see others.</p>}
        </>
      )}
    </Now>
  )
}
