import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Options() {
  return (
    <>
      <PageHead title="Commands and options" description="Every command, flag, option and environment variable." />
      <h1>Commands and options</h1>
      <p className="lead">
        Four commands. A flag beats the environment, the environment beats the config file, and the config file beats
        the default.
      </p>
      <Section id="commands" title="Commands">
        <Table
          caption="Commands"
          head={['command', 'does']}
          rows={[
            [
              <code key="command">hydrant dev [dir]</code>,
              'serves the site, and rebuilds and refreshes it on every change',
            ],
            [
              <code key="command">hydrant build [dir]</code>,
              <>
                writes the build to <code>.hydrant/</code> in the site’s folder
              </>,
            ],
            [<code key="command">hydrant start [dir]</code>, 'serves that build; needs neither esbuild nor TypeScript'],
            [
              <code key="command">hydrant errors [digest] [dir]</code>,
              <>
                shows <a href={href('/docs/errors')}>what has failed</a>
              </>,
            ],
          ]}
        />
        <p>
          <code>[dir]</code> is the site’s folder, the current one by default. Every command explains itself with{' '}
          <code>--help</code>. Exit codes: 0 done, 1 failed, 2 misused. <code>dev</code> and <code>start</code> take
          these flags:
        </p>
        <Table
          caption="Flags of dev and start"
          head={['flag', 'default', 'is']}
          rows={[
            [<code key="flag">--port</code>, '3000', 'the port to listen on; 0 for any free one'],
            [<code key="flag">--host</code>, 'localhost for dev, 127.0.0.1 for start', 'the address to listen on'],
            [<code key="flag">--base</code>, '/', 'the path below which the site is mounted'],
            [<code key="flag">--trust-proxy</code>, 'false', 'the proxies whose forwarded headers count'],
            [
              <code key="flag">--socket</code>,
              'none',
              <>
                <code>start</code> only: a socket file to listen on, instead of host and port
              </>,
            ],
            [
              <code key="flag">--admin</code>,
              '127.0.0.1:9320',
              <>
                <code>start</code> only: port or address of the <a href={href('/docs/console')}>console</a>, or false
              </>,
            ],
            [<code key="flag">--log-level</code>, 'info', 'the least level that is logged'],
            [<code key="flag">--log-requests</code>, 'false', 'a line in the log for each request'],
          ]}
        />
      </Section>
      <Section id="options" title="Options">
        <p>
          Options stand in <code>hydrant.config.ts</code>, or are given to the plugin or to <code>createServer</code>.
          An unknown name is an error that names the nearest right one. In a Fastify app of your own, those marked with
          a star are Fastify’s business and have no effect.
        </p>
        <Code title="hydrant.config.ts">{CONFIG}</Code>
        <Table
          caption="Options"
          head={['option', 'default', 'is']}
          rows={[
            [
              <code key="option">base</code>,
              <code key="default">'/'</code>,
              'the path under which the site is mounted',
            ],
            [
              <>
                <code>trustProxy</code> *
              </>,
              <code key="default">false</code>,
              'which proxies’ forwarded headers count, as in Fastify',
            ],
            [
              <>
                <code>forwardedHeader</code> *
              </>,
              <code key="default">'x-forwarded'</code>,
              <>
                which headers those are; <code>'forwarded'</code> for the standard one
              </>,
            ],
            [
              <>
                <code>proxyStripsBase</code> *
              </>,
              <code key="default">false</code>,
              'the proxy takes the base away from paths, and it is put back',
            ],
            [
              <code key="option">timeouts.loadMs</code>,
              '10 000',
              'how long the loads of a page may take together, and its action before them, in milliseconds',
            ],
            [
              <code key="option">timeouts.renderMs</code>,
              '10 000',
              'how long rendering may take, deferred data included',
            ],
            [
              <>
                <code>timeouts.headersMs</code>, <code>.requestMs</code>, <code>.sendMs</code>,{' '}
                <code>.keepAliveMs</code> *
              </>,
              '20 000, 300 000, 30 000, 72 000',
              'how long visitors may take to send headers, to send all, to take something of their answer, to ask again',
            ],
            [
              <code key="option">timeouts.drainMs</code>,
              '10 000',
              'how long a stopping server waits for the requests in flight',
            ],
            [
              <code key="option">timeouts.stopDelayMs</code>,
              '0',
              <>
                how long it says so at <code>/_hydrant/ready</code> before, and answers on
              </>,
            ],
            [
              <code key="option">timeouts.hangMs</code>,
              '60 000',
              'how long the event loop may be held up, before what holds it up is cut off and told of as a failure; 0 for ever. In an app of yours 0',
            ],
            [
              <>
                <code>limits.maxRenders</code>, <code>.maxDocumentLength</code>, <code>.maxUrlBytes</code>,{' '}
                <code>.maxPipelined</code>
              </>,
              '1 000, 50 000 000, 8 192, 100',
              'pages made at the same time, characters of one, bytes of a URL, requests that wait on one connection',
            ],
            [
              <>
                <code>limits.maxConnections</code>, <code>.maxHeaderBytes</code> *
              </>,
              '10 000, 16 384',
              'connections open at the same time, bytes of a request’s headers',
            ],
            [
              <code key="option">hosts</code>,
              <code key="default">[]</code>,
              'names that the site is asked by; others are answered 421 (any)',
            ],
            [
              <>
                <code>reports.enabled</code>, <code>.maxPerPage</code>, <code>.maxPerAddress</code>,{' '}
                <code>.maxTotal</code>, <code>.maxBytes</code>, <code>.respectPrivacySignals</code>
              </>,
              'true, 10, 60, 600, 32 768, false',
              'whether browsers tell of failures in them, how often, and whether DNT and Sec-GPC are heeded',
            ],
            [
              <code key="option">bodyLimit</code>,
              '1 048 576',
              'bytes of JSON, or of all texts of a form together, that a request may send',
            ],
            [
              <>
                <code>forms.maxFields</code>, <code>.maxFieldBytes</code>, <code>.maxFiles</code>,{' '}
                <code>.maxFileBytes</code>
              </>,
              '1 000, 1 048 576, 10, 10 485 760',
              <>
                what a <a href={href('/docs/forms', {}, { hash: 'files' })}>form</a> may have
              </>,
            ],
            [
              <code key="option">allowedOrigins</code>,
              <code key="default">[]</code>,
              <>
                other sites whose pages may send <a href={href('/docs/forms', {}, { hash: 'other-sites' })}>forms</a>{' '}
                here
              </>,
            ],
            [
              <>
                <code>admin.host</code>, <code>.port</code>, <code>.token</code>
              </>,
              "'127.0.0.1', 9320, none",
              <>
                where the <a href={href('/docs/console')}>console</a> listens, and what its users sign in with;{' '}
                <code>admin: false</code> for none
              </>,
            ],
            [
              <code key="option">compress</code>,
              <code key="default">true</code>,
              'compresses documents and data as brotli or gzip; false where a proxy does it',
            ],
            [
              <code key="option">csp</code>,
              <code key="default">true</code>,
              'sends a Content-Security-Policy: scripts run with a nonce only, and no other site frames the page',
            ],
            [
              <code key="option">securityHeaders</code>,
              <code key="default">true</code>,
              'sends nosniff, a referrer policy and, over https, Strict-Transport-Security, unless they are set',
            ],
            [
              <>
                <code>logRequests</code> *
              </>,
              <code key="default">false</code>,
              'writes a line per request; otherwise failures, refusals and the server’s own life are logged',
            ],
            [
              <code key="option">digestKey</code>,
              'none',
              'a secret that replicas share, by which nobody else can compute which error a digest stands for',
            ],
            [
              <code key="option">onFailure</code>,
              'none',
              'a function that is told of each failure, to hand it to a service; only code can set it',
            ],
            [
              <code key="option">traceOf</code>,
              'none',
              'a function that says which trace a failure belongs to, instead of the request’s traceparent; only code can set it',
            ],
            [
              <code key="option">reactServer</code>,
              <code key="default">'bun'</code>,
              <>
                which build of React renders. <code>'bun'</code> is react-dom’s build that writes strings (the name is
                React’s, it runs on Node.js); <code>'node'</code> is the one that writes bytes. Both give the same
                documents; the first is faster
              </>,
            ],
            [
              <>
                <code>port</code>, <code>host</code> *
              </>,
              '3000, 127.0.0.1',
              <>
                where <code>hydrant start</code> listens
              </>,
            ],
            [
              <>
                <code>logLevel</code> *
              </>,
              <code key="default">'info'</code>,
              'the least level that is logged',
            ],
            [
              <code key="option">esbuild</code>,
              'nothing',
              <>
                <code>plugins</code>, <code>loader</code>, <code>define</code> and <code>alias</code> for the site’s
                bundles, as in esbuild; or a function that returns them, so that <code>start</code> need not load what
                only the build needs
              </>,
            ],
          ]}
        />
      </Section>
      <Section id="environment" title="Environment variables">
        <p>They are read when the server starts, so one build serves every environment.</p>
        <Table
          caption="Environment variables"
          head={['variable', 'sets']}
          rows={[
            [<code key="name">PORT</code>, <code key="flag">--port</code>],
            [<code key="name">HOST</code>, <code key="flag">--host</code>],
            [<code key="name">LOG_LEVEL</code>, 'the logger’s level: trace, debug, info, warn, error, fatal or silent'],
            [<code key="name">HYDRANT_BASE</code>, <code key="option">base</code>],
            [<code key="name">HYDRANT_TRUST_PROXY</code>, <code key="option">trustProxy</code>],
            [<code key="name">HYDRANT_FORWARDED_HEADER</code>, <code key="option">forwardedHeader</code>],
            [<code key="name">HYDRANT_PROXY_STRIPS_BASE</code>, <code key="option">proxyStripsBase</code>],
            [<code key="name">HYDRANT_SOCKET</code>, <code key="flag">--socket</code>],
            [<code key="name">HYDRANT_TIMEOUTS_LOAD_MS</code>, <code key="option">timeouts.loadMs</code>],
            [<code key="name">HYDRANT_TIMEOUTS_RENDER_MS</code>, <code key="option">timeouts.renderMs</code>],
            [<code key="name">HYDRANT_TIMEOUTS_DRAIN_MS</code>, <code key="option">timeouts.drainMs</code>],
            [<code key="name">HYDRANT_TIMEOUTS_STOP_DELAY_MS</code>, <code key="option">timeouts.stopDelayMs</code>],
            [<code key="name">HYDRANT_TIMEOUTS_HANG_MS</code>, <code key="option">timeouts.hangMs</code>],
            [<code key="name">HYDRANT_HOSTS</code>, <code key="option">hosts</code>],
            [<code key="name">HYDRANT_BODY_LIMIT</code>, <code key="option">bodyLimit</code>],
            [
              <>
                <code>HYDRANT_FORMS_MAX_FIELDS</code> and so on
              </>,
              <code key="option">forms.maxFields</code>,
            ],
            [<code key="name">HYDRANT_ALLOWED_ORIGINS</code>, <code key="option">allowedOrigins</code>],
            [
              <>
                <code>HYDRANT_ADMIN</code>, <code>HYDRANT_ADMIN_TOKEN</code>, <code>HYDRANT_ADMIN_READ_TOKEN</code>
              </>,
              <>
                <code>--admin</code>, <code>admin.token</code>, <code>admin.readToken</code>
              </>,
            ],
            [<code key="name">HYDRANT_COMPRESS</code>, <code key="option">compress</code>],
            [<code key="name">HYDRANT_CSP</code>, <code key="option">csp</code>],
            [<code key="name">HYDRANT_SECURITY_HEADERS</code>, <code key="option">securityHeaders</code>],
            [<code key="name">HYDRANT_LOG_REQUESTS</code>, <code key="option">logRequests</code>],
            [<code key="name">HYDRANT_REACT_SERVER</code>, <code key="option">reactServer</code>],
          ]}
        />
      </Section>
      <Section id="messages" title="Messages">
        <p>
          What Hydrant itself has to say against a site or an option has a code, says what was expected and what came,
          and ends with what to do:
        </p>
        <Code title="Terminal" language="text">
          {MESSAGE}
        </Code>
      </Section>
    </>
  )
}

const CONFIG = `
import { defineConfig } from 'hydrant'

export default defineConfig({
  trustProxy: 'loopback',
  timeouts: { loadMs: 5_000 },
})
`

const MESSAGE = `
Error [HYD_BUILD_MISSING] there is no build in /srv/my-site/.hydrant
Try: Run "hydrant build" for this site first.
`
