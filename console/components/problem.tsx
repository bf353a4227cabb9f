import classes from './problem.module.css'

/** Says why an action changed nothing. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p role="alert" className={classes.problem}>
      Nothing was changed. {text}
    </p>
  )
}
