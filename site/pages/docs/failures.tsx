import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'
import { logLine } from '../../content/samples.ts'

export default function Failures() {
  return (
    <>
      <PageHead title="Failures" description="The sentence, the digest, the log line and where the fallback stands." />
      <h1>Failures</h1>
      <p className="lead">
        A failure is an error that nobody meant to happen. The visitor learns that it happened and how to name it; you
        learn everything else.
      </p>
      <Section id="sentence" title="What a visitor reads">
        <p>When the server failed, the sentence names the host, and the digest follows:</p>
        <Code title="A failure on the server" language="text">
          {SERVER_SENTENCE}
        </Code>
        <p>
          When only the browser failed, there is no digest. The browser tells the server of it, so that the log has it
          all the same, with the line of the source:
        </p>
        <Code title="A failure in the browser" language="text">
          {CLIENT_SENTENCE}
        </Code>
        <p>
          In production nothing of the error itself is sent: neither its type nor its message, stack, or paths. Below
          the sentence stands a <strong>Try again</strong> button which works without JavaScript, too. Failures are
          never cached, and search engines are told not to index them.
        </p>
      </Section>
      <Section id="digest" title="The digest">
        <Code title="A digest" language="text">
          7K3M9QZD-0F4XTB
        </Code>
        <Table
          caption="The two halves of a digest"
          head={['half', 'names', 'is the same for']}
          rows={[
            [
              'fingerprint',
              'which failure',
              'every request that fails in the same place in the same way, on every machine, after a restart and after a rebuild',
            ],
            ['occurrence', 'which time', 'all failures of one request'],
          ]}
        />
        <p>
          The letters are Crockford’s base 32, which has no I, L, O or U: a digest can be read out on the telephone. The
          fingerprint is a hash of the error’s type, its message with ids, numbers and quoted values masked, and the
          functions of your site on its stack; its first character tells the side, <code>0</code> to <code>F</code> for
          the server and <code>G</code> to <code>Z</code> for browsers. With the option <code>digestKey</code> nobody
          but your servers can compute it. If an error has a <code>digest</code> property of its own, it goes to the log
          but is never shown.
        </p>
      </Section>
      <Section id="log" title="The log line">
        <p>
          One failure is one line at level <code>error</code>, written through Fastify’s own logger. Its stack is mapped
          back to your source files.
        </p>
        <Code title="The log, over several lines" language="json">
          {logLine}
        </Code>
        <Table
          caption="Fields of a failure's log line"
          head={['field', 'holds']}
          rows={[
            [<code key="field">digest</code>, 'what the visitor reads'],
            [
              <code key="field">phase</code>,
              <>
                what was going on: <code>load</code>, <code>action</code>, <code>render</code> (before the shell was
                sent), <code>stream</code> (after it) or <code>route</code> (a route of <code>server.ts</code>)
              </>,
            ],
            [<code key="field">route</code>, 'the page, as its file is named: /products/[id]'],
            [
              <>
                <code>method</code>, <code>url</code>, <code>host</code>, <code>reqId</code>
              </>,
              'the request',
            ],
            [<code key="field">err</code>, 'type, message, stack, and the causes below it'],
          ]}
        />
        <p>
          To find a visitor’s request, search for the whole digest; to see how often it happens, for its first half.{' '}
          <a href={href('/docs/errors')}>hydrant errors</a> goes on from there, to the line of the source. Passwords in
          URLs, cookies, <code>authorization</code> headers and form values are never logged.
        </p>
        <Code title="Terminal" language="sh">
          {SEARCH}
        </Code>
      </Section>
      <Section id="place" title="Where the fallback stands">
        <Table
          caption="Where something fails and what the visitor sees"
          head={['what fails', 'status', 'the fallback stands']}
          rows={[
            ['load or action of a page', '500', 'in the page’s place, inside its layouts'],
            ['load or rendering of a layout', '500', 'inside the layout above it'],
            ['a component, before the shell is sent', '500', 'in the page’s place'],
            ['a component in <Suspense>, after the shell', '200, already sent', 'in the nearest boundary'],
            ['a deferred promise', '200, already sent', 'in the nearest boundary'],
            [
              'a load or render that never ends',
              '504, or 200 if already sent',
              'as above, when the deadline has passed',
            ],
            ['a component, in the browser only', '200', 'in the nearest boundary'],
            ['the failure page itself', 'that of the first failure', 'in its place, with the first digest'],
          ]}
        />
        <p>
          Around each page there is a boundary. To keep the rest of a page when one part of it fails, put that part into
          a <code>FailureBoundary</code>. It helps with what fails in the browser or after the shell; a failure before
          the shell takes the place of the whole page, so that the status can be true.
        </p>
        <Code title="pages/products/[id].tsx">{BOUNDARY}</Code>
      </Section>
      <Section id="error-page" title="A failure page of your own">
        <p>
          <code>error.tsx</code> replaces the plain fallback for its folder and those below. It is shown for failures
          and for refusals.
        </p>
        <Table
          caption="Props of error.tsx"
          head={['prop', 'is']}
          rows={[
            [<code key="prop">status</code>, '500 or 504 for a failure, 400 to 499 for a refusal'],
            [<code key="prop">message</code>, 'the sentence of a failure, or the message of a refusal'],
            [<code key="prop">side</code>, "'server' or 'client'"],
            [<code key="prop">host</code>, 'the host name in the address bar, without a port'],
            [<code key="prop">digest</code>, 'the digest, if the server failed'],
            [<code key="prop">retry</code>, 'a function that loads the page again'],
          ]}
        />
        <Code title="pages/error.tsx">{ERROR_PAGE}</Code>
        <p>Should this page fail as well, the plain fallback takes over and keeps the first digest. Both are logged.</p>
      </Section>
      <Section id="refusals" title="Refusals">
        <p>
          An error with a 4xx <code>statusCode</code> is thrown on purpose and meant for the visitor. Its status and
          message are shown, it gets no digest, and it is logged at <code>info</code>. <code>HttpError</code> makes one;
          so do <code>@fastify/error</code>, <code>http-errors</code> and <code>@fastify/sensible</code>. Errors of HTTP
          clients, which tell by <code>statusCode</code> what another service has answered, are failures, and so is
          whatever has <code>expose: false</code>.
        </p>
        <Code title="pages/members.server.ts">{REFUSAL}</Code>
      </Section>
      <Section id="deadlines" title="Deadlines and visitors who leave">
        <p>
          Loads and rendering have a <a href={href('/docs/options', {}, { hash: 'options' })}>deadline</a> each. When
          one passes, the answer is a 504 (or, after the shell, the fallback in its place), and the log line names what
          was pending. A visitor who leaves is no failure: loads are told through <code>signal</code>, rendering stops,
          and one info line says so.
        </p>
        <p>
          All of this can be watched on the <a href={href('/failures')}>pages that fail on purpose</a>.
        </p>
      </Section>
    </>
  )
}

const SERVER_SENTENCE = `
Application error: a server-side exception has occurred while loading shop.example (see the server logs for more information).
Digest: 7K3M9QZD-0F4XTB
`

const CLIENT_SENTENCE = `
Application error: a client-side exception has occurred while loading shop.example (see the browser console for more information).
`

const SEARCH = `
grep 7K3M9QZD-0F4XTB site.log      # this visitor's request
grep -c '"digest":"7K3M9QZD-' site.log   # how often this failure happened
`

const BOUNDARY = `
import { FailureBoundary } from 'hydrant/react'

<FailureBoundary>
  <Suspense fallback={<p>Reviews are on their way…</p>}>
    <Reviews reviews={data.reviews} />
  </Suspense>
</FailureBoundary>
`

const ERROR_PAGE = `
import type { ErrorPageProps } from 'hydrant/react'

export default function ErrorPage({ status, message, digest, retry }: ErrorPageProps) {
  return (
    <div role="alert">
      <h1>{status === 403 ? 'You may not see this' : 'Something went wrong'}</h1>
      <p>{message}</p>
      {digest && <p>Digest: {digest}</p>}
      <button type="button" onClick={retry}>Try again</button>
    </div>
  )
}
`

const REFUSAL = `
import { HttpError, type LoadContext } from 'hydrant'

export function load({ request }: LoadContext<'/members'>) {
  if (!request.user) throw new HttpError(403, 'Members only')
  return { name: request.user.name }
}
`
