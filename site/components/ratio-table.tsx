import { hrefOfDocument } from '../content/document-href.ts'
import type { Ratios } from '../documentation/ratios.ts'
import classes from './ratio-table.module.css'
import { BEHIND, showRatio } from './show-ratio.ts'

/** How many times better Hydrant is in each figure than each server. It scrolls inside its own box. */
export function RatioTable({ ratios: { date, commit, machine, servers, figures } }: { ratios: Ratios }) {
  return (
    <>
      <h3 id="ratios">How many times better Hydrant is</h3>
      <p>
        Above 1, Hydrant is better; below 1, the other server is. Marked ratios (▼) say that Hydrant is behind.{' '}
        <a href={hrefOfDocument('benchmark')}>Benchmark</a> describes the method.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div className={classes.box} tabIndex={0} role="group" aria-labelledby="ratios">
        <table className={classes.table}>
          <thead>
            <tr>
              <td />
              {servers.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.map(({ title, ratios }) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                {ratios.map((ratio, index) => (
                  <td key={index}>
                    <Ratio ratio={ratio} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={classes.source}>
        Measured on {date}, commit {commit}, {machine}.
      </p>
    </>
  )
}

function Ratio({ ratio }: { ratio: number | null }) {
  if (ratio === null) return '–'
  if (ratio >= BEHIND) return showRatio(ratio)
  return (
    <strong className={classes.behind}>
      <span aria-hidden="true">▼ </span>
      {showRatio(ratio)}
      <span className="visually-hidden"> (behind)</span>
    </strong>
  )
}
