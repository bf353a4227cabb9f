import { href, type PageProps, useSubmission } from 'hydrant/react'
import { Code } from './code.tsx'
import classes from './failing-page.module.css'

type Failed = NonNullable<PageProps<'/'>['actionData']>

/** A page of this site, and a button that makes it fail. */
export function FailingPage({ sources }: PageProps<'/'>['data']) {
  const press = useSubmission('/')
  const failed = press.data
  return (
    <section aria-labelledby="fail">
      <h2 id="fail">Watch a page fail, and find its line</h2>
      <p>
        These two files are a page of this site. It shows <a href={href('/products/[id]', { id: 7 })}>product 7</a>, but
        product 8 has no stock. Request it: you see what happens on this server at that moment.
      </p>
      <div className={classes.pair}>
        {sources.map(({ file, text }) => (
          <Code key={file} title={file}>
            {text}
          </Code>
        ))}
      </div>
      <form {...press.form} action={href('/', {}, { hash: 'failed' })}>
        <button type="submit" className="button" aria-disabled={press.isPending || undefined}>
          {failed ? 'Request product 8 again' : 'Request product 8'}
        </button>
      </form>
      {press.error && <p role="alert">{press.error.message}</p>}
      <div id="failed" role="status">
        {failed && <p className="visually-hidden">{`The page has failed with the digest ${failed.digest}.`}</p>}
      </div>
      {failed && <Trace {...failed} />}
    </section>
  )
}

/** What has happened, from the visitor to the line. The digest leads from each step to the next. */
function Trace({ status, sentence, digest, line, place, marked }: Failed) {
  return (
    <ol className={classes.trace}>
      <li>
        <h3>The visitor reads one sentence</h3>
        <blockquote className={classes.response}>
          <p className={classes.status}>{status}</p>
          <p>{sentence}</p>
          <p>
            <code>
              Digest: <mark>{digest}</mark>
            </code>
          </p>
        </blockquote>
        <p>Nothing else about the error leaves the server. The next two steps are for those who run it.</p>
      </li>
      <li>
        <h3>The log has the same digest</h3>
        <Code title="The log line, without time and process" language="json" mark={digest}>
          {line}
        </Code>
      </li>
      <li>
        <h3>The digest leads to the line</h3>
        <Code title={`npx hydrant errors ${digest}`} language="report" mark={marked}>
          {place}
        </Code>
      </li>
    </ol>
  )
}
