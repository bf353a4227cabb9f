import { describeHours, HOURS } from '../lib/hours.ts'
import classes from './sparkline.module.css'

const BAR = 4
const HEIGHT = 24

/** A bar chart of the occurrences in each of the last 24 hours. */
export function Sparkline({ hours }: { hours: readonly number[] }) {
  const most = Math.max(...hours, 1)
  return (
    <svg
      className={classes.picture}
      role="img"
      aria-label={describeHours(hours)}
      viewBox={`0 0 ${HOURS * BAR} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {hours.map((count, index) => {
        const height = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT)
        return (
          <rect
            key={index}
            x={index * BAR}
            y={HEIGHT - height}
            width={BAR - 1}
            height={height}
            className={count === 0 ? classes.none : classes.some}
          />
        )
      })}
    </svg>
  )
}
