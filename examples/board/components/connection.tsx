import { useLive } from 'hydrant/react'

/** Says that the page may be out of date. The region always exists, so that screen readers announce its text. */
export function Connection() {
  return <p role="status">{useLive() === 'lost' && 'The connection is lost. The board may have changed.'}</p>
}
