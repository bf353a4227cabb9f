import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Errors() {
  return (
    <>
      <PageHead
        title="From a digest to the line"
        description="hydrant errors: which failures happened, how often, and where in the source."
      />
      <h1>From a digest to the line</h1>
      <p className="lead">
        A visitor reads a digest to you. One command shows the line of your source that failed, the request, and when
        the failure happened before.
      </p>
      <Section id="one" title="One failure">
        <Code title="Terminal" language="text">
          {ONE}
        </Code>
        <p>
          Type the digest as you hear it: in any case, with spaces, with or without its hyphen, with an O for a zero.
          The first half alone shows the failure and its last occurrence. If the digest is not known, the command shows
          the nearest ones.
        </p>
        <p>
          The command reads the ledger, the database in which a server stores its failures. The ledger contains the
          source-mapped stack and the lines of source around it. Therefore the command needs neither the sources nor the
          build, and works while the server runs and afterwards.
        </p>
      </Section>
      <Section id="list" title="All failures">
        <Code title="Terminal" language="text">
          {LIST}
        </Code>
        <Table
          caption="Flags of hydrant errors"
          head={['flag', 'shows']}
          rows={[
            [<code key="flag">--since 24h</code>, 'failures seen since then: 30m, 24h, 7d, or a date like 2026-11-21'],
            [<code key="flag">--side client</code>, 'failures in browsers, or on the server'],
            [<code key="flag">--route /products/[id]</code>, 'failures of one route'],
            [<code key="flag">--open</code>, 'failures that are not marked as solved'],
            [
              <code key="flag">--limit 50</code>,
              'the number of failures, or of occurrences of one failure; 20 by default',
            ],
            [<code key="flag">--json</code>, 'JSON, for scripts'],
            [<code key="flag">--dev</code>, 'the failures of hydrant dev, which has its own ledger'],
            [<code key="flag">--ledger copy.db</code>, 'another ledger: a file, or a postgres:// URL'],
          ]}
        />
        <p>
          Exit codes: 0 for success, also if there are no failures; 1 if there is no such digest or no ledger; 2 for
          wrong arguments. The command escapes control characters in texts from errors and browsers, so a message cannot
          change the colours of your terminal or clear it.
        </p>
      </Section>
      <Section id="json" title="For scripts">
        <p>
          With <code>--json</code>, the list is an array. A single failure is an object with its stack, its causes and
          its occurrences. Times are ISO 8601.
        </p>
        <Code title="Terminal" language="sh">
          {SCRIPT}
        </Code>
      </Section>
      <Section id="process" title="Uncaught exceptions">
        <p>
          An exception outside any request, in a timer or an event, is also a failure. It has a digest, one line at
          level <code>fatal</code>, and an entry in the ledger. <code>hydrant start</code> finishes the requests in
          flight and exits with code 1, so that its supervisor restarts it.
        </p>
      </Section>
      <Section id="elsewhere" title="Export to other services">
        <p>
          Hydrant calls <code>onFailure</code> in{' '}
          <a href={href('/docs/options', {}, { hash: 'options' })}>hydrant.config.ts</a> for each failure, with its
          source-mapped stack and without secrets. No request waits for it. If a request has a <code>traceparent</code>{' '}
          header, its failures have <code>traceId</code> and <code>spanId</code>, in the log line as well.
        </p>
        <Code title="hydrant.config.ts">{ON_FAILURE}</Code>
      </Section>
    </>
  )
}

const ONE = `
$ hydrant errors 7k3m 9qzd 0f4xtb ./my-site
Error: connect ECONNREFUSED 10.0.0.5:5432

  fingerprint  7K3M9QZD
  side         server, load
  seen         7 times
  first seen   2026-11-20 19:43:28 UTC (1 day ago)
  last seen    2026-11-21 19:40:28 UTC (3 min ago)
  releases     v41 to v42

This occurrence: 7K3M9QZD-0F4XTB
  time        2026-11-21 19:40:28 UTC (3 min ago)
  route       /products/[id]
  request     GET /products/7 on shop.example
  request id  3F9QK2ZD-1f
  user agent  browser
  status      500
  release     v42

load (pages/products/[id].server.ts:4:35)
    3 | export async function load({ app, params }: LoadContext<'/products/[id]'>) {
  > 4 |   const product = await app.shop.product(params.id)
      |                                   ^
    5 |   if (!product) notFound()

Stack
  at load (pages/products/[id].server.ts:4:35)
…
`

const LIST = `
$ hydrant errors ./my-site --since 24h
fingerprint  side    count  last seen  source                           message
7K3M9QZD     server      7  3 min ago  pages/products/[id].server.ts:4  Error: connect ECONNREFUSED 10.0.0.5:5432
0VW8A1ZD     client      2  5 h ago    components/cart.tsx:41           RangeError: Invalid currency code

2 failures, seen 9 times. Ledger: /srv/my-site/hydrant-errors.db
Details of one: hydrant errors 7K3M9QZD ./my-site
`

const SCRIPT = `
hydrant errors ./my-site --since 24h --json | jq -r '.[] | [.fingerprint, .count, .message] | @tsv'
hydrant errors 7K3M9QZD ./my-site --json | jq '.source, .occurrences[0].requestId'
`

const ON_FAILURE = `
import { defineConfig } from 'hydrant'

export default defineConfig({
  async onFailure(failure) {
    await fetch('https://alerts.example/', { method: 'POST', body: JSON.stringify(failure) })
  },
})
`
