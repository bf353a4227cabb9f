import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Http() {
  return (
    <>
      <PageHead
        title="HTTP responses"
        description="The response to each kind of request: document, JSON, status and headers."
      />
      <h1>HTTP responses</h1>
      <p className="lead">
        Browsers, curl, crawlers and other services read the same addresses. This chapter describes the response to each
        of them.
      </p>
      <Section id="answers" title="Requests and responses">
        <Table
          caption="Requests and their responses"
          head={['request', 'response']}
          rows={[
            [
              <>
                <code>GET</code> a page, <code>Accept: text/html</code> or <code>*/*</code>
              </>,
              'the document, streamed. A crawler gets the complete document at once, with its final status',
            ],
            [
              <>
                <code>GET</code> a page, <code>Accept: application/json</code>
              </>,
              'what load returned, as plain JSON, with its promises awaited. 406 for a page without load',
            ],
            [
              <>
                <code>GET</code> a page, <code>Accept: text/markdown</code>
              </>,
              'the content of the page as Markdown, for programs that read it; the option markdown turns it off',
            ],
            [
              <>
                <code>HEAD</code> a page
              </>,
              'the same status and headers, without a body; nothing is rendered',
            ],
            [
              <>
                <code>POST</code>, <code>PUT</code>, <code>PATCH</code>, <code>DELETE</code> a page with an{' '}
                <a href={href('/docs/forms')}>action</a>
              </>,
              'the action runs, then the loads: the page. As JSON, what the action returned; no load runs',
            ],
            [
              'the same methods on a page without an action',
              <>
                405 with <code>Allow</code>
              </>,
            ],
            [
              'the same methods on any URL, sent by another site’s page',
              <>
                403: see <a href={href('/docs/forms', {}, { hash: 'other-sites' })}>forms of other sites</a>
              </>,
            ],
            ['an unknown path', '404: the not-found page, or problem+json'],
            ['a path with extra slashes at its end', <>308 to the path without them</>],
            [
              <>
                any error, <code>Accept: application/json</code>
              </>,
              <code key="answer">application/problem+json</code>,
            ],
            [
              <code key="request">/_hydrant/assets/*</code>,
              'scripts, styles and imported files; immutable, and already compressed as brotli and gzip by the build',
            ],
          ]}
        />
      </Section>
      <Section id="json" title="Data as JSON">
        <p>
          The response contains only the page’s own data, not that of its layouts. The loads of the layouts run
          nevertheless, and may refuse or redirect.
        </p>
        <Table
          caption="How data is written in JSON"
          head={['in the data', 'in the JSON']}
          rows={[
            [
              <>
                <code>Date</code>, <code>URL</code> and whatever has <code>toJSON</code>
              </>,
              'the text that toJSON returns',
            ],
            [<code key="data">BigInt</code>, 'its digits, as a string'],
            [
              <>
                <code>Set</code>, typed arrays
              </>,
              'an array',
            ],
            [<code key="data">Map</code>, 'an object; an array of pairs if a key is not a string'],
            ['a promise', 'the value to which it resolves'],
          ]}
        />
      </Section>
      <Section id="problem" title="Errors as JSON">
        <p>
          Errors follow RFC 9457. <code>detail</code> is the sentence of a failure, or the message of a refusal. Only a
          failure has a <code>digest</code>.
        </p>
        <Code title="curl -i -H 'Accept: application/json' https://shop.example/products/7" language="http">
          {PROBLEM}
        </Code>
      </Section>
      <Section id="headers" title="Headers">
        <Table
          caption="Headers of responses"
          head={['header', 'where', 'meaning']}
          rows={[
            [<code key="header">X-Request-Id</code>, 'every response', 'the request’s id, as in the log'],
            [
              <code key="header">X-Error-Digest</code>,
              'failures that happen before the headers are sent',
              'the digest',
            ],
            [<code key="header">Vary</code>, 'pages', 'the response depends on Accept and on the accepted compression'],
            [
              <code key="header">Content-Encoding</code>,
              'documents and data, unless they are short',
              'br or gzip, depending on what the client accepts; each part of a stream is sent as soon as it is ready',
            ],
            [
              <code key="header">ETag</code>,
              'documents that are not streamed',
              'a request with If-None-Match gets 304 if nothing has changed',
            ],
            [
              <code key="header">Cache-Control</code>,
              'every response',
              <>
                <code>no-store</code> for errors and for streamed documents, <code>private, no-cache</code> for other
                documents, unless <code>load</code> sets the header on <code>reply</code>. JSON and responses that set a
                cookie are always <code>private</code>, and responses to an action are <code>no-store</code>. For data
                that shared caches may store, write a route in <code>server.ts</code>
              </>,
            ],
            [
              <code key="header">Content-Security-Policy</code>,
              'documents',
              'scripts run only with this document’s nonce, and other sites cannot frame the page; see the csp option',
            ],
            [
              <code key="header">X-Content-Type-Options</code>,
              'every response',
              'nosniff: browsers must not guess another type; documents have further security headers, see the securityHeaders option',
            ],
          ]}
        />
      </Section>
      <Section id="streaming" title="Streaming and the status">
        <p>
          The status is sent before the body, so it reflects what is known when the shell is ready. A failure in the
          shell causes a 500. When a later part fails, 200 has already been sent. The document then shows the fallback
          in place of that part. Without JavaScript, the fallback and all late parts are at the end of the document. If
          a page’s <code>.server</code> file exports <code>stream = false</code>, Hydrant sends the page only when all
          of it is ready, so its status is always correct. Crawlers always get the complete page, with the correct
          status.
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
