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
        There are eight commands. A flag overrides the environment, the environment overrides the config file, and the
        config file overrides the default.
      </p>
      <Section id="commands" title="Commands">
        <Table
          caption="Commands"
          head={['command', 'what it does']}
          rows={[
            [
              <code key="command">{'hydrant create <dir>'}</code>,
              <>
                writes a new <a href={href('/start')}>site</a>; <code>--template</code> is minimal, tailwind or plugin
              </>,
            ],
            [
              <code key="command">hydrant dev [dir]</code>,
              'serves the site, rebuilds it after every change, and reloads the page',
            ],
            [
              <code key="command">hydrant build [dir]</code>,
              <>
                writes the build to <code>.hydrant/</code> in the site’s folder
              </>,
            ],
            [
              <code key="command">hydrant types [dir]</code>,
              <>
                writes the <a href={href('/docs/pages', {}, { hash: 'types' })}>types</a> of the site’s pages to{' '}
                <code>hydrant-env.d.ts</code>
              </>,
            ],
            [<code key="command">hydrant start [dir]</code>, 'serves that build; needs neither esbuild nor TypeScript'],
            [
              <code key="command">hydrant errors [digest] [dir]</code>,
              <>
                shows the <a href={href('/docs/errors')}>failures</a>
              </>,
            ],
            [
              <code key="command">hydrant info [dir]</code>,
              'prints versions and settings for a bug report, without secrets',
            ],
            [
              <code key="command">hydrant completion bash|zsh|fish</code>,
              'prints a script with which your shell completes commands and flags',
            ],
          ]}
        />
        <p>
          <code>[dir]</code> is the site’s folder, by default the current one. Every command prints its help with{' '}
          <code>--help</code>. Exit codes: 0 for success, 1 for failure, 2 for wrong arguments. Ctrl+C ends{' '}
          <code>dev</code> with 0; a second one ends it at once. <code>dev</code> and <code>start</code> accept these
          flags:
        </p>
        <Table
          caption="Flags of dev and start"
          head={['flag', 'default', 'meaning']}
          rows={[
            [
              <code key="flag">--port</code>,
              '3000; for dev the next free one if it is taken',
              'the port to listen on; 0 for any free one',
            ],
            [
              <code key="flag">--host</code>,
              'localhost for dev, 127.0.0.1 for start',
              'the address to listen on; 0.0.0.0 in a container',
            ],
            [
              <code key="flag">--hosts</code>,
              'names of this machine for dev, any for start',
              'the host names of the site; for dev the name of your tunnel',
            ],
            [
              <code key="flag">--poll</code>,
              'false',
              <>
                <code>dev</code> only: looks for changed files at intervals, for volumes that report no changes
              </>,
            ],
            [<code key="flag">--base</code>, '/', 'the path under which the site is mounted'],
            [<code key="flag">--trust-proxy</code>, 'false', 'the proxies whose forwarded headers Hydrant believes'],
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
            [<code key="flag">--log-level</code>, 'info', 'the lowest level that is logged'],
            [<code key="flag">--log-requests</code>, 'false', 'a line in the log for each request'],
          ]}
        />
      </Section>
      <Section id="options" title="Options">
        <p>
          Set options in <code>hydrant.config.ts</code>, or pass them to the plugin or to <code>createServer</code>. An
          unknown name is an error that shows the nearest correct name. In a Fastify app of your own, options marked
          with a star have no effect, because your app decides them.
        </p>
        <Code title="hydrant.config.ts">{CONFIG}</Code>
        <Table
          caption="Options"
          head={['option', 'default', 'meaning']}
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
              'the proxies whose forwarded headers Hydrant believes, as in Fastify',
            ],
            [
              <>
                <code>forwardedHeader</code> *
              </>,
              <code key="default">'x-forwarded'</code>,
              <>
                the kind of forwarded headers; <code>'forwarded'</code> for the standard one
              </>,
            ],
            [
              <>
                <code>proxyStripsBase</code> *
              </>,
              <code key="default">false</code>,
              'set this if the proxy removes the base from paths; Hydrant restores it',
            ],
            [
              <code key="option">timeouts.loadMs</code>,
              '10 000',
              'deadline for all loads of a page together, and for its action, in milliseconds',
            ],
            [<code key="option">timeouts.renderMs</code>, '10 000', 'deadline for rendering, including deferred data'],
            [
              <>
                <code>timeouts.headersMs</code>, <code>.requestMs</code>, <code>.sendMs</code>,{' '}
                <code>.keepAliveMs</code> *
              </>,
              '20 000, 300 000, 30 000, 72 000',
              'deadlines for visitors: to send the headers, to send the whole request, to read a part of the response, to send the next request',
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
                how long a stopping server reports it at <code>/_hydrant/ready</code> and still accepts requests
              </>,
            ],
            [
              <code key="option">timeouts.hangMs</code>,
              '60 000',
              'how long the event loop may be blocked before Hydrant interrupts the code and reports a failure; 0 turns this off. In an app of your own, the default is 0',
            ],
            [
              <>
                <code>limits.maxRenders</code>, <code>.maxDocumentLength</code>
              </>,
              '1 000, 50 000 000',
              'pages made at the same time, characters of one',
            ],
            [
              <>
                <code>limits.maxConnections</code>, <code>.maxHeaderBytes</code> *
              </>,
              '10 000, 16 384',
              'open connections, bytes of a request’s headers',
            ],
            [
              <code key="option">hosts</code>,
              <code key="default">[]</code>,
              'host names of the site; requests for others get 421 (any)',
            ],
            [
              <>
                <code>reports.enabled</code>, <code>.maxPerAddress</code>, <code>.respectPrivacySignals</code>
              </>,
              'true, 60, false',
              'whether browsers tell of failures in them, how often, and whether DNT and Sec-GPC are heeded',
            ],
            [
              <code key="option">bodyLimit</code>,
              '1 048 576',
              'bytes of JSON, or of all text fields of a form together',
            ],
            [
              <>
                <code>forms.maxFields</code>, <code>.maxFiles</code>, <code>.maxFileBytes</code>
              </>,
              '1 000, 10, 10 485 760',
              <>
                limits of a <a href={href('/docs/forms', {}, { hash: 'files' })}>form</a>
              </>,
            ],
            [
              <code key="option">allowedOrigins</code>,
              <code key="default">[]</code>,
              <>
                other sites that may send <a href={href('/docs/forms', {}, { hash: 'other-sites' })}>forms</a> to this
                site
              </>,
            ],
            [
              <>
                <code>admin.host</code>, <code>.port</code>, <code>.token</code>
              </>,
              "'127.0.0.1', 9320, none",
              <>
                the address of the <a href={href('/docs/console')}>console</a>, and the token to sign in;{' '}
                <code>admin: false</code> turns it off
              </>,
            ],
            [
              <code key="option">markdown</code>,
              <code key="default">true</code>,
              'sends the content of a page as Markdown to programs that prefer text/markdown',
            ],
            [
              <code key="option">compress</code>,
              <code key="default">true</code>,
              'compresses documents and data as brotli or gzip; false if a proxy does it',
            ],
            [
              <code key="option">csp</code>,
              <code key="default">true</code>,
              'sends a Content-Security-Policy: scripts run only with a nonce, and other sites cannot frame the page',
            ],
            [
              <code key="option">securityHeaders</code>,
              <code key="default">true</code>,
              'sends nosniff, a referrer policy and, over https, Strict-Transport-Security, unless your code sets them',
            ],
            [
              <>
                <code>logRequests</code> *
              </>,
              <code key="default">false</code>,
              'writes a log line for each request; otherwise the log has failures, refusals and the server’s start and stop',
            ],
            [
              <code key="option">digestKey</code>,
              'none',
              'a secret that all replicas share, so that only they can compute the fingerprint of an error',
            ],
            [
              <code key="option">onFailure</code>,
              'none',
              'a function that Hydrant calls for each failure, to send it to a service; only code can set it',
            ],
            [
              <code key="option">traceOf</code>,
              'none',
              'a function that returns the trace of a failure, instead of the request’s traceparent; only code can set it',
            ],
            [
              <code key="option">reactServer</code>,
              <code key="default">'bun'</code>,
              <>
                the build of React that renders. <code>'bun'</code> is react-dom’s build that writes strings (the name
                is React’s; it runs on Node.js); <code>'node'</code> is the build that writes bytes. Both produce the
                same documents; the first is faster
              </>,
            ],
            [
              <>
                <code>port</code>, <code>host</code> *
              </>,
              '3000, 127.0.0.1',
              <>
                the address on which <code>hydrant start</code> listens
              </>,
            ],
            [
              <>
                <code>logLevel</code> *
              </>,
              <code key="default">'info'</code>,
              'the lowest level that is logged',
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
        <p>The server reads them at startup, so one build serves every environment.</p>
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
            [<code key="name">HYDRANT_MARKDOWN</code>, <code key="option">markdown</code>],
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
          Hydrant’s own messages about a site or an option have a code. They say what was expected and what was found,
          and end with a fix:
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
Try: Run "hydrant build" for this site first, or pass the folder of a site that has been built.
`
