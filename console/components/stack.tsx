import type { SourceFrame } from 'hydrant'
import classes from './failure.module.css'

/** Shows the frames, innermost first. Frames outside the site are dimmed. */
export function Stack({ frames }: { frames: readonly SourceFrame[] }) {
  if (frames.length === 0) return <p>This value has no stack.</p>
  return (
    <ol className={classes.stack} aria-label="Stack">
      {frames.map((frame, index) => (
        <li key={index} className={frame.isSite ? classes.own : classes.other}>
          {frame.function || 'anonymous'} <span className={classes.place}>{placeOf(frame)}</span>
          {frame.unmapped !== undefined && <small> ({frame.unmapped})</small>}
        </li>
      ))}
    </ol>
  )
}

function placeOf({ file, line, column }: SourceFrame): string {
  return line > 0 ? `${file}:${line}:${column}` : file
}
