import type { KeptError } from 'hydrant'
import { CodeFrame } from './code-frame.tsx'
import classes from './failure.module.css'
import { Stack } from './stack.tsx'

/** Shows an error with its source and its stack, then its `cause` and the errors of an `AggregateError`. */
export function ErrorView({ error }: { error: KeptError }) {
  const { stack, cause, errors = [] } = error
  return (
    <>
      {stack.map((frame, index) => frame.code && <CodeFrame key={index} frame={frame} code={frame.code} />)}
      <Stack frames={stack} />
      {cause && <Inner title="Caused by:" error={cause} />}
      {errors.map((inner, index) => (
        <Inner key={index} title={`${index + 1} of ${errors.length}:`} error={inner} />
      ))}
    </>
  )
}

function Inner({ title, error }: { title: string; error: KeptError }) {
  return (
    <section className={classes.inner}>
      <h3>
        {title} {error.type}
      </h3>
      <p className={classes.message}>{error.message}</p>
      <ErrorView error={error} />
    </section>
  )
}
