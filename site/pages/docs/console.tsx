import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Console() {
  return (
    <>
      <PageHead title="Console" description="What has failed, on a port of its own: pages, JSON and metrics." />
      <h1>Console</h1>
      <p className="lead">
        <code>hydrant start</code> opens a second port, for operators only: what has failed, from the digest that a
        visitor reads out to the line of source.
      </p>
      <Section id="try" title="Try it">
        <p>
          Start this site, let something <a href={href('/failures')}>fail</a>, and open{' '}
          <code>http://127.0.0.1:9320</code>. Type the digest that you were shown into the field at the top, in any
          case, with or without its hyphen. The page shows what was thrown, the source around it, the stack, how often
          it has happened and your own request. Leave the list open: the next failure comes into it by itself.
        </p>
        <p>
          <strong>Mark as solved</strong> takes a failure out of the list, until it happens in a later release or build.
        </p>
        <p>The console is itself a Hydrant site. It works without JavaScript as well.</p>
      </Section>
      <Section id="reach" title="Reach it on a server">
        <p>
          It listens on that machine alone and answers only to that machine’s own names. Take its port to yours, or give
          it a token and another address:
        </p>
        <Code title="Terminal" language="sh">
          {REACH}
        </Code>
        <p>
          With a token, browsers sign in and scripts send it along. A second one, <code>HYDRANT_ADMIN_READ_TOKEN</code>,
          lets Prometheus and others read, and change nothing. <code>--admin false</code> does without all of this, and
          then nothing is measured either.
        </p>
      </Section>
      <Section id="app" title="In an app of your own">
        <p>
          <code>await app.register(hydrant.admin, {`{ prefix: '/ops' }`})</code> mounts all of this in an existing
          Fastify app: <a href={href('/docs/server', {}, { hash: 'operating' })}>operating an app of your own</a>.
        </p>
      </Section>
      <Section id="api" title="The same for programs">
        <Code title="Terminal" language="sh">
          {API}
        </Code>
        <Table
          caption="Requests of the console’s API"
          head={['request', 'answer']}
          rows={[
            [
              <code key="list">GET /api/failures</code>,
              'the list; since, side, route, search, solved, release and new narrow it, sort orders it, limit and after page it',
            ],
            [<code key="one">GET /api/failures/DIGEST</code>, 'one failure with its stack and its occurrences'],
            [<code key="solve">POST /api/failures/DIGEST/solve</code>, 'marks it as solved; /reopen opens it again'],
            [<code key="events">GET /api/events</code>, 'server-sent events: “changed” when something has'],
            [
              <code key="metrics">GET /metrics</code>,
              'requests, durations and failures by page, event loop and memory for Prometheus',
            ],
          ]}
        />
      </Section>
      <Section id="metrics" title="Which page is slow, and which fails">
        <p>
          Requests, their duration and failures are counted by page, under the page’s pattern. The package’s{' '}
          <code>docs/console.md</code> lists every metric, with queries for objectives and alerts.
        </p>
        <Code title="Prometheus" language="sh">
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
