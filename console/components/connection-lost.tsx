import { useLive } from 'hydrant/react'
import classes from './connection-lost.module.css'

/** Reports a lost connection. The region always exists, so that a screen reader announces text that appears in it. */
export function ConnectionLost() {
  const isLost = useLive() === 'lost'
  return (
    <div role="status" className={classes.place}>
      {isLost && <p className={classes.note}>The connection is lost. This page may be out of date.</p>}
    </div>
  )
}
