import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Http() {
  return (
    <>
      <PageHead
        title="HTTP answers"
        description="What each kind of request gets: document, JSON, status and headers."
      />
      <h1>HTTP answers</h1>
      <p className="lead">
        One address, several readers: browsers, curl, crawlers, other services. This is what each of them is told.
      </p>
      <Section id="answers" title="What is asked, what is answered">
        <Table
          caption="Requests and their answers"
          head={['request', 'answer']}
          rows={[
            [
              <>
                <code>GET</code> a page, <code>Accept: text/html</code> or <code>*/*</code>
              </>,
              'the document, streamed. A crawler gets it whole, with a status that was decided at its end',
            ],
            [
              <>
                <code>GET</code> a page, <code>Accept: application/json</code>
              </>,
              'what load returned, as plain JSON, its promises awaited. 406 for a page without load',
            ],
            [
              <>
                <code>HEAD</code> a page
              </>,
              'the same status and headers, no body, and nothing is rendered',
            ],
            [
              <>
                <code>POST</code>, <code>PUT</code>, <code>PATCH</code>, <code>DELETE</code> a page with an{' '}
                <a href={href('/docs/forms')}>action</a>
              </>,
              'the action runs, and then the loads: the page. As JSON what the action returned, and no load runs',
            ],
            [
              'the same of a page without one',
              <>
                405 with <code>Allow</code>
              </>,
            ],
            [
              'the same of anything, sent by another site’s page',
              <>
                403: see <a href={href('/docs/forms', {}, { hash: 'other-sites' })}>forms of other sites</a>
              </>,
            ],
            ['an unknown path', '404: the not-found page, or problem+json'],
            ['a path with a slash too many at its end', <>308 to the path without it</>],
            [
              <>
                any error, <code>Accept: application/json</code>
              </>,
              <code key="answer">application/problem+json</code>,
            ],
            [
              <code key="request">/_hydrant/assets/*</code>,
              'scripts, styles and imported files; immutable, compressed as brotli and gzip when they were built',
            ],
          ]}
        />
      </Section>
      <Section id="json" title="Data as JSON">
        <p>
          Only the page’s own data is sent, not that of its layouts, though their loads run, and may refuse or redirect.
        </p>
        <Table
          caption="How data is written in JSON"
          head={['in the data', 'in the JSON']}
          rows={[
            [
              <>
                <code>Date</code>, <code>URL</code> and whatever has <code>toJSON</code>
              </>,
              'text, as toJSON gives it',
            ],
            [<code key="data">BigInt</code>, 'its digits, as text'],
            [
              <>
                <code>Set</code>, typed arrays
              </>,
              'an array',
            ],
            [<code key="data">Map</code>, 'an object; an array of pairs when a key is no string'],
            ['a promise', 'what it settles to'],
          ]}
        />
      </Section>
      <Section id="problem" title="Errors as JSON">
        <p>
          Errors follow RFC 9457. <code>detail</code> is the sentence for a failure and the message for a refusal;{' '}
          <code>digest</code> is there for a failure only.
        </p>
        <Code title="curl -i -H 'Accept: application/json' https://shop.example/products/7" language="http">
          {PROBLEM}
        </Code>
      </Section>
      <Section id="headers" title="Headers">
        <Table
          caption="Headers of answers"
          head={['header', 'where', 'says']}
          rows={[
            [<code key="header">X-Request-Id</code>, 'every answer', 'the request’s id, as in the log'],
            [
              <code key="header">X-Error-Digest</code>,
              'failures that are known before the headers go out',
              'the digest',
            ],
            [<code key="header">Vary</code>, 'pages', 'that the same address has two forms, compressed or not'],
            [
              <code key="header">Content-Encoding</code>,
              'documents and data that are not short',
              'br or gzip, as the client accepts it; each part of a stream is sent as soon as it is there',
            ],
            [
              <code key="header">ETag</code>,
              'documents that were sent whole',
              'a request with If-None-Match gets 304 while nothing has changed',
            ],
            [
              <code key="header">Cache-Control</code>,
              'every answer',
              <>
                <code>no-store</code> for errors and for documents that were sent in parts,{' '}
                <code>private, no-cache</code> for other documents, unless <code>load</code> has set its own on{' '}
                <code>reply</code>. JSON and what sets a cookie are always <code>private</code>, answers to an action{' '}
                <code>no-store</code>. For data that caches share, write a route in <code>server.ts</code>
              </>,
            ],
            [
              <code key="header">Content-Security-Policy</code>,
              'documents',
              'scripts run only with this document’s nonce, and no other site frames the page; see the csp option',
            ],
            [
              <code key="header">X-Content-Type-Options</code>,
              'every answer',
              'nosniff: it is what its type says; documents have others beside it, see the securityHeaders option',
            ],
          ]}
        />
      </Section>
      <Section id="streaming" title="Streaming and the status">
        <p>
          The status is sent before the body, so it can only tell what was known when the shell was ready. A failure in
          the shell is a 500. One that comes later finds a 200 already sent; the document then shows the fallback in the
          place that failed, or without JavaScript at its end. What comes late is there read at the end of the document
          as well. A page whose <code>.server</code> file exports <code>stream = false</code> is sent whole, when all of
          it is ready, and then its status tells of everything. Crawlers wait for the whole page and so always get the
          true status.
        </p>
      </Section>
    </>
  )
}

const PROBLEM = `
HTTP/1.1 500 Internal Server Error
content-type: application/problem+json; charset=utf-8
cache-control: no-store
x-error-digest: 7K3M9QZD-0F4XTB

{
  "type": "about:blank",
  "title": "Internal Server Error",
  "status": 500,
  "instance": "/products/7",
  "detail": "Application error: a server-side exception has occurred while loading shop.example (see the server logs for more information).",
  "digest": "7K3M9QZD-0F4XTB"
}
`
