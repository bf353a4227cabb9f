import type { PageProps } from 'hydrant/react'
import { CachedRoutes, FullestTags } from '../components/cache-tables.tsx'
import { Problem } from '../components/problem.tsx'
import { bytesText } from '../lib/bytes-text.ts'

export default function PageCache({ data, actionData }: PageProps<'/cache'>) {
  const { report, mayChange } = data
  return (
    <>
      <title>Page cache · Hydrant console</title>
      <h1>Page cache</h1>
      <Problem text={actionData?.problem} />
      {report.routes.length === 0 ? (
        <Empty />
      ) : (
        <>
          <p className="lead">
            {report.entries} stored {report.entries === 1 ? 'response' : 'responses'}, {bytesText(report.bytes)}
          </p>
          <p>
            Since the start: {report.evictions} removed because the memory was full, {report.invalidations}{' '}
            {report.invalidations === 1 ? 'invalidation' : 'invalidations'}.
          </p>
          {mayChange && (
            <form method="post">
              <button type="submit" className="button">
                Empty the cache
              </button>
            </form>
          )}
          <section aria-labelledby="routes">
            <h2 id="routes">Pages</h2>
            <CachedRoutes routes={report.routes} />
          </section>
          {report.tags.length > 0 && (
            <section aria-labelledby="tags">
              <h2 id="tags">Fullest tags</h2>
              <FullestTags tags={report.tags} />
            </section>
          )}
        </>
      )}
    </>
  )
}

function Empty() {
  return (
    <>
      <p className="lead">No page of this site is cached.</p>
      <p>
        A page is cached if its server file exports <code>cache</code>, unless the option{' '}
        <code>pageCache.maxBytes</code> is 0.
      </p>
    </>
  )
}
