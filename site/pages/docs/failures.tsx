import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'
import { logLine } from '../../content/samples.ts'

export default function Failures() {
  return (
    <>
      <PageHead title="Failures" description="The sentence, the digest, the log line and the place of the fallback." />
      <h1>Failures</h1>
      <p className="lead">
        A failure is an unexpected error. The visitor learns that it happened and how to refer to it. You get all the
        details.
      </p>
      <Section id="sentence" title="What a visitor reads">
        <p>When the server fails, the sentence names the host, and the digest follows:</p>
        <Code title="A failure on the server" language="text">
          {SERVER_SENTENCE}
        </Code>
        <p>
          When only the browser fails, there is no digest. The browser reports the failure to the server, so the log has
          it as well, with the line of source:
        </p>
        <Code title="A failure in the browser" language="text">
          {CLIENT_SENTENCE}
        </Code>
        <p>
          In production, Hydrant sends nothing about the error itself: no type, no message, no stack, no paths. Below
          the sentence is a <strong>Try again</strong> button, which also works without JavaScript. Browsers and caches
          never store a failure, and search engines are asked not to index it.
        </p>
      </Section>
      <Section id="digest" title="The digest">
        <Code title="A digest" language="text">
          7K3M9QZD-0F4XTB
        </Code>
        <Table
          caption="The two halves of a digest"
          head={['half', 'identifies', 'is the same for']}
          rows={[
            [
              'fingerprint',
              'the failure',
              'every request that fails in the same place in the same way, on every machine, after a restart and after a rebuild',
            ],
            ['occurrence', 'the request', 'all failures of one request'],
          ]}
        />
        <p>
          The characters are Crockford’s base 32, which has no I, L, O or U, so a visitor can read a digest out on the
          telephone. The fingerprint is a hash of the error’s type, of its message with ids, numbers and quoted values
          masked, and of your site’s functions on the stack. Its first character shows the side: <code>0</code> to{' '}
          <code>F</code> for the server, and <code>G</code> to <code>Z</code> for browsers. With the option{' '}
          <code>digestKey</code>, only your servers can compute it. If an error has its own <code>digest</code>{' '}
          property, the log has it, but Hydrant never shows it.
        </p>
      </Section>
      <Section id="log" title="The log line">
        <p>
          One failure is one line at level <code>error</code>, written by Fastify’s logger. Its stack refers to your
          source files.
        </p>
        <Code title="The log line, wrapped here" language="json">
          {logLine}
        </Code>
        <Table
          caption="Fields of a failure's log line"
          head={['field', 'content']}
          rows={[
            [<code key="field">digest</code>, 'the digest that the visitor reads'],
            [
              <code key="field">phase</code>,
              <>
                the phase: <code>guard</code>, <code>load</code>, <code>action</code>, <code>render</code> (before the
                shell was sent), <code>stream</code> (after it) or <code>route</code> (a route of <code>server.ts</code>
                )
              </>,
            ],
            [<code key="field">route</code>, 'the page, as its file is named: /products/[id]'],
            [
              <>
                <code>method</code>, <code>url</code>, <code>host</code>, <code>reqId</code>
              </>,
              'the request',
            ],
            [<code key="field">err</code>, 'type, message, stack, and the chain of causes'],
          ]}
        />
        <p>
          To find a visitor’s request, search for the complete digest. To see how often the failure happens, search for
          the first half. <a href={href('/docs/errors')}>hydrant errors</a> also shows the line of source. Passwords in
          URLs, cookies, <code>authorization</code> headers and form values are never logged.
        </p>
        <Code title="Terminal" language="sh">
          {SEARCH}
        </Code>
      </Section>
      <Section id="place" title="The place of the fallback">
        <Table
          caption="The place of a failure and what the visitor sees"
          head={['what fails', 'status', 'place of the fallback']}
          rows={[
            ['load or action of a page', '500', 'in place of the page, inside its layouts'],
            ['load or rendering of a layout', '500', 'inside the layout above it'],
            ['a component, before the shell is sent', '500', 'in place of the page'],
            ['a component in <Suspense>, after the shell', '200, already sent', 'in the nearest boundary'],
            ['a deferred promise', '200, already sent', 'in the nearest boundary'],
            ['a load or render that never ends', '504, or 200 if already sent', 'as above, after the deadline'],
            ['a component, in the browser only', '200', 'in the nearest boundary'],
            ['the error page itself', 'that of the first failure', 'in place of the error page, with the first digest'],
          ]}
        />
        <p>
          Hydrant puts a boundary around each page. To keep the rest of a page when one part of it fails, wrap that part
          in a <code>FailureBoundary</code>. It handles failures in the browser and after the shell. A failure before
          the shell replaces the whole page, so that the status can be correct.
        </p>
        <Code title="pages/products/[id].tsx">{BOUNDARY}</Code>
      </Section>
      <Section id="error-page" title="Your own error page">
        <p>
          <code>error.tsx</code> replaces the plain fallback in its folder and in the folders below. Hydrant shows it
          for failures and for refusals.
        </p>
        <Table
          caption="Props of error.tsx"
          head={['prop', 'meaning']}
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
        <p>If this page also fails, Hydrant shows the plain fallback with the first digest, and logs both failures.</p>
      </Section>
      <Section id="development" title="In development">
        <p>
          <code>hydrant dev</code> shows every error over the page, and the same in the terminal: the message, the
          digest, the line of source, the components around it and what caused it. A hydration difference is shown line
          by line. <kbd>Escape</kbd> closes the overlay, and it closes by itself when the error is gone. A place such as{' '}
          <code>pages/index.tsx:3:9</code> is a link that opens your editor: the one that <code>LAUNCH_EDITOR</code>{' '}
          names, else a running one.
        </p>
      </Section>
      <Section id="refusals" title="Refusals">
        <p>
          A refusal is an error with a 4xx <code>statusCode</code> that your code throws for the visitor. Hydrant shows
          its status and message, logs it at <code>info</code>, and gives it no digest. <code>HttpError</code>,{' '}
          <code>@fastify/error</code>, <code>http-errors</code> and <code>@fastify/sensible</code> create refusals.
          Errors of HTTP clients are failures, because their <code>statusCode</code> is the status of another service.
          Errors with <code>expose: false</code> are failures, too.
        </p>
        <Code title="pages/members.server.ts">{REFUSAL}</Code>
      </Section>
      <Section id="deadlines" title="Deadlines and visitors who leave">
        <p>
          Loads and rendering each have a <a href={href('/docs/options', {}, { hash: 'options' })}>deadline</a>. If one
          expires, the response is a 504 (or, after the shell, the fallback replaces the pending part), and the log line
          names what was pending. A visitor who leaves is not a failure: <code>signal</code> aborts, rendering stops,
          and the log has one line at level info.
        </p>
        <p>
          You can try all of this on the <a href={href('/failures')}>pages that fail on purpose</a>.
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
import { FailureBoundary, type PageProps } from 'hydrant/react'
import { Suspense } from 'react'
import { Reviews } from '../../components/reviews.tsx'

export default function Product({ data }: PageProps<'/products/[id]'>) {
  return (
    <FailureBoundary>
      <Suspense fallback={<p>Reviews are on their way…</p>}>
        <Reviews reviews={data.reviews} />
      </Suspense>
    </FailureBoundary>
  )
}
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
