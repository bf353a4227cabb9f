import classes from './plate.module.css'

interface PlateProps {
  status: string
  fingerprint: string
  occurrence: string
  source: string
}

/** A sign that shows a failure's coordinates. It looks like the enamel sign next to a hydrant in the street. */
export function Plate({ status, fingerprint, occurrence, source }: PlateProps) {
  return (
    <figure className={classes.figure}>
      <div className={classes.plate}>
        <p className={classes.status}>
          <span className={classes.letter} aria-hidden="true">
            H
          </span>
          <span>
            <span className="visually-hidden">Status </span>
            {status}
          </span>
        </p>
        <p className={classes.cross}>
          <span className="visually-hidden">Digest: </span>
          <span className={classes.arm}>
            {fingerprint}
            <span className={classes.name} aria-hidden="true">
              fingerprint
            </span>
          </span>
          <span className="visually-hidden">-</span>
          <span className={classes.arm}>
            {occurrence}
            <span className={classes.name} aria-hidden="true">
              occurrence
            </span>
          </span>
        </p>
        <p className={classes.source}>{source}</p>
      </div>
      <figcaption className={classes.caption}>
        In the street, such a sign gives the position of a hydrant, so that the fire brigade finds it at once. Here it
        shows a failure’s digest, which leads to the line that failed.
      </figcaption>
    </figure>
  )
}
