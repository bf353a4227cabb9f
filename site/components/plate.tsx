import classes from './plate.module.css'

interface PlateProps {
  status: string
  fingerprint: string
  occurrence: string
  source: string
}

/** The enamel sign that stands beside a hydrant in the street, with a failure's coordinates on it. */
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
        In the street, such a sign gives a hydrant’s position, so that nobody has to search. Here it is a failure’s
        digest, and it leads to the line that failed.
      </figcaption>
    </figure>
  )
}
