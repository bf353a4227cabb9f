import type { SlowRequestReport } from 'hydrant'
import { href } from 'hydrant/react'
import { bytesText } from '../lib/bytes-text.ts'
import { duration, stepName } from '../lib/duration.ts'
import failure from './failure.module.css'
import { When } from './relative-time.tsx'
import classes from './slow.module.css'
import { Hints } from './slow-first.tsx'
import { Bar, Name } from './slow-tables.tsx'

/** One request: what it was, what made it slow, and its steps on a line of time. */
export function SlowRequestView({ request }: { request: SlowRequestReport }) {
  const { id, time, route, method, path, status, durationMs, bytes, cache, release, hints, steps } = request
  return (
    <>
      <title>{`${method} ${path}: ${duration(durationMs)} · Hydrant console`}</title>
      <p className={failure.back}>
        <a href={href('/slow')}>Slow pages</a>
      </p>
      <div className={failure.head}>
        <h1>
          {method} {path}: {duration(durationMs)}
        </h1>
        <p className={failure.digest}>
          <code>{id}</code>
        </p>
      </div>
      <Hints hints={hints} />
      <dl className={`${failure.facts} ${classes.facts}`}>
        <Fact name="Route">
          <code>{route}</code>
        </Fact>
        <Fact name="When">
          <When time={time} />
        </Fact>
        <Fact name="Status">{status}</Fact>
        <Fact name="Size">{bytes > 0 ? bytesText(bytes) : 'not known'}</Fact>
        {cache !== null && <Fact name="Page cache">{cache}</Fact>}
        <Fact name="Release">{release}</Fact>
      </dl>
      <section aria-labelledby="steps">
        <h2 id="steps">Steps</h2>
        {steps.length === 0 ? (
          <p>
            No step was measured: the time is in hooks and routes of <code>server.ts</code>, or in sending the response.
          </p>
        ) : (
          <Steps steps={steps} wholeMs={durationMs} />
        )}
      </section>
    </>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const COLUMNS = 6

function Steps({ steps, wholeMs }: Pick<SlowRequestReport, 'steps'> & { wholeMs: number }) {
  const partOf = (ms: number) => (wholeMs > 0 ? ms / wholeMs : 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.scroll} tabIndex={0} role="group" aria-labelledby="steps">
      <table className={`${classes.table} ${classes.timeline}`}>
        <caption>
          <span className={classes.caption}>
            In the order in which they began, those inside a step after it. The bars reach from 0 to {duration(wholeMs)}
            .
          </span>
        </caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Began</th>
            <th scope="col">Took</th>
            <th scope="col">
              <span className="visually-hidden">Chart</span>
            </th>
            <th scope="col">Blocked</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        {steps.map((step, index) => (
          <tbody key={`${index} ${stepName(step)}`}>
            <tr className={step.hints.length > 0 ? classes.explained : undefined}>
              <th scope="row">
                <Name depth={step.depth}>{stepName(step)}</Name>
              </th>
              <td>{duration(step.startMs)}</td>
              <td>{duration(step.durationMs)}</td>
              <td>
                <Bar from={partOf(step.startMs)} length={partOf(step.durationMs)} />
              </td>
              <td>{step.blockedMs > 0 ? duration(step.blockedMs) : '–'}</td>
              <td>{step.bytes > 0 ? bytesText(step.bytes) : '–'}</td>
            </tr>
            {step.hints.length > 0 && (
              <tr>
                <td colSpan={COLUMNS} className={classes.cause}>
                  <Hints hints={step.hints} />
                </td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
    </div>
  )
}
