import type { CacheReport } from 'hydrant'
import { bytesText } from '../lib/bytes-text.ts'
import classes from './cache-tables.module.css'

const RESULTS = ['hit', 'stale', 'miss', 'pass'] as const

/** The cached pages, with their responses since the start and their stored responses. */
export function CachedRoutes({ routes }: Pick<CacheReport, 'routes'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.scroll} tabIndex={0} role="group" aria-labelledby="routes">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col">Hit rate</th>
            {RESULTS.map((result) => (
              <th scope="col" key={result}>
                {result}
              </th>
            ))}
            <th scope="col">Stored</th>
            <th scope="col">Memory</th>
          </tr>
        </thead>
        <tbody>
          {routes.map(({ route, hitRate, responses, entries, bytes }) => (
            <tr key={route}>
              <th scope="row">
                <code>{route}</code>
              </th>
              <td>{hitRate === null ? '–' : `${(hitRate * 100).toFixed(1)} %`}</td>
              {RESULTS.map((result) => (
                <td key={result}>{responses[result]}</td>
              ))}
              <td>{entries}</td>
              <td>{bytesText(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The tags that most stored responses have. */
export function FullestTags({ tags }: Pick<CacheReport, 'tags'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.scroll} tabIndex={0} role="group" aria-labelledby="tags">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Tag</th>
            <th scope="col">Stored</th>
          </tr>
        </thead>
        <tbody>
          {tags.map(({ tag, entries }) => (
            <tr key={tag}>
              <th scope="row">
                <code>{tag}</code>
              </th>
              <td>{entries}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
