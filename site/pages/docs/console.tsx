import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Console() {
  return (
    <>
      <PageHead title="Console" description="The failures of a site, on a separate port: pages, JSON and metrics." />
      <h1>Console</h1>
      <p className="lead">
        <code>hydrant start</code> opens a second port for operators. Its console shows the failures, from the digest
        that a visitor reads out to the line of source.
      </p>
      <Section id="try" title="Try it">
        <p>
          Start this site, cause a <a href={href('/failures')}>failure</a>, and open <code>http://127.0.0.1:9320</code>.
          Type the digest from the page into the field at the top, in any case, with or without its hyphen. The console
          shows what was thrown, the source around it, the stack, how often it has happened, and your own request. Leave
          the list open: new failures appear in it automatically.
        </p>
        <p>
          <strong>Mark as solved</strong> removes a failure from the list. It returns if it happens in a later release
          or build.
        </p>
        <p>The console is itself a Hydrant site. It also works without JavaScript.</p>
      </Section>
      <Section id="reach" title="Reach it on a server">
        <p>
          The console listens only on its own machine, and accepts only that machine’s local names. Forward its port to
          your machine, or set a token and another address:
        </p>
        <Code title="Terminal" language="sh">
          {REACH}
        </Code>
        <p>
          With a token, operators sign in on a page, and scripts send the token. A second token,{' '}
          <code>HYDRANT_ADMIN_READ_TOKEN</code>, gives read-only access, for example to Prometheus.{' '}
          <code>--admin false</code> turns all of this off, including the measurements.
        </p>
      </Section>
      <Section id="app" title="In an app of your own">
        <p>
          <code>await app.register(hydrant.admin, {`{ prefix: '/ops' }`})</code> mounts all of this in an existing
          Fastify app: <a href={href('/docs/server', {}, { hash: 'operating' })}>operating an app of your own</a>.
        </p>
      </Section>
      <Section id="api" title="The API">
        <Code title="Terminal" language="sh">
          {API}
        </Code>
        <Table
          caption="Requests of the console’s API"
          head={['request', 'response']}
          rows={[
            [
              <code key="list">GET /api/failures</code>,
              'the list; filter it with since, side, route, search, solved, release and new, order it with sort, page it with limit and after',
            ],
            [<code key="one">GET /api/failures/DIGEST</code>, 'one failure with its stack and its occurrences'],
            [<code key="solve">POST /api/failures/DIGEST/solve</code>, 'marks it as solved; /reopen opens it again'],
            [<code key="events">GET /api/events</code>, 'server-sent events: “changed” after each change'],
            [
              <code key="metrics">GET /metrics</code>,
              'requests, durations and failures by page, event loop and memory for Prometheus',
            ],
          ]}
        />
      </Section>
      <Section id="metrics" title="Slow and failing pages">
        <p>
          The metrics count requests, durations and failures by page, with the page’s pattern as a label. The package’s{' '}
          <code>docs/console.md</code> lists every metric, with queries for objectives and alerts.
        </p>
        <Code title="Prometheus" language="promql">
          {QUERIES}
        </Code>
      </Section>
    </>
  )
}

const QUERIES = `
histogram_quantile(0.95, sum by (route, le) (rate(hydrant_request_duration_seconds_bucket[5m])))
sum by (route) (rate(hydrant_failures_total[5m]))
`

const REACH = `
ssh -L 9320:127.0.0.1:9320 my-server

HYDRANT_ADMIN_TOKEN=… npx hydrant start --admin 10.0.0.5:9320
curl -H 'Authorization: Bearer …' http://10.0.0.5:9320/api/failures
`

const API = `
curl 'http://127.0.0.1:9320/api/failures?since=24h&solved=false'
curl http://127.0.0.1:9320/api/failures/dw2kwm4a
curl -X POST http://127.0.0.1:9320/api/failures/dw2kwm4a/solve
curl http://127.0.0.1:9320/metrics
`
