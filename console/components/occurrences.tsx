import type { Occurrence } from 'hydrant'
import { href } from 'hydrant/react'
import { serverOf } from '../lib/server-of.ts'
import classes from './failure.module.css'
import { Ago } from './relative-time.tsx'

interface OccurrencesProps {
  occurrences: readonly Occurrence[]
  /** The requested digest, which is highlighted. */
  asked: string | null
}

export function Occurrences({ occurrences, asked }: OccurrencesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.scroll} tabIndex={0} role="group" aria-labelledby="occurrences">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Digest</th>
            <th scope="col">When</th>
            <th scope="col">Request</th>
            <th scope="col">Host</th>
            <th scope="col">Sent</th>
            <th scope="col">Client</th>
            <th scope="col">Request id</th>
            <th scope="col">Release</th>
            <th scope="col">Server</th>
          </tr>
        </thead>
        <tbody>
          {occurrences.map((one) => (
            <tr key={one.digest} className={one.digest === asked ? classes.highlighted : undefined}>
              <th scope="row">
                <a
                  href={href('/failures/[digest]', { digest: one.digest })}
                  aria-current={one.digest === asked ? 'true' : undefined}
                >
                  {one.digest}
                </a>
              </th>
              <td>
                <Ago time={one.time} />
              </td>
              <td>
                {one.method} {one.path}
              </td>
              <td>{one.host}</td>
              <td>{one.isRecovered ? 'recovered' : one.statusSent}</td>
              <td>{one.userAgent}</td>
              <td>{one.requestId}</td>
              <td>{one.release}</td>
              <td>{serverOf(one)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
