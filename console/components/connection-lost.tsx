import classes from './connection-lost.module.css'

/** The region stands there from the beginning, so that what comes into it is read out. */
export function Lost({ isLost }: { isLost: boolean }) {
  return (
    <div role="status" className={classes.place}>
      {isLost && <p className={classes.note}>The connection is lost: what stands here may be out of date.</p>}
    </div>
  )
}
