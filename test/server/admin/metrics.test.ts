import t from 'tap'
import { createServer } from '../../../src/server/create-server.ts'
import { failureOf, type ServedAdmin, serveAdmin } from './served-admin.ts'

/** Each sample's value by its name and labels. */
async function read(admin: ServedAdmin): Promise<Map<string, number>> {
  const { body } = await admin.ask('/metrics')
  const samples = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line): [string, number] => {
      const [, name = '', value] = /^([a-zA-Z_:][\w:]*(?:\{(?:\w+="[^"\n]*",?)*\})?) (\S+)$/.exec(line) ?? []
      // Of what has not been measured yet.
      t.ok(name !== '' && (!Number.isNaN(Number(value)) || /^nan$/i.test(value ?? '')), line)
      return [name, Number(value)]
    }),
  )
}

t.test('are in Prometheus’ format', async (t) => {
  const admin = await serveAdmin(t)
  t.equal((await admin.ask('/metrics')).headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  const metrics = await read(admin)
  for (const name of ['hydrant_ledger_queue', 'hydrant_ledger_dropped_total', 'nodejs_eventloop_lag_seconds'])
    t.ok(metrics.has(name), name)
})

t.test('move with what the site does', async (t) => {
  const admin = await serveAdmin(t)
  const { measures } = admin
  measures.answered('GET', 200, 4)
  measures.answered('GET', 200, 40)
  measures.answered('POST', 422, 4)
  measures.rendered(3)
  measures.firstByte(20)
  await admin.keep(failureOf('7K2M9QX4-000001'), failureOf('7K2M9QX4-000002', { side: 'client', phase: 'client' }))
  const metrics = await read(admin)
  for (const [name, value] of [
    ['hydrant_requests_total{method="GET",status="200"}', 2],
    ['hydrant_requests_total{method="POST",status="422"}', 1],
    ['hydrant_request_duration_seconds_count', 3],
    ['hydrant_request_duration_seconds_bucket{le="0.005"}', 2],
    ['hydrant_render_duration_seconds_count', 1],
    ['hydrant_first_byte_seconds_bucket{le="0.01"}', 0],
    ['hydrant_first_byte_seconds_bucket{le="0.025"}', 1],
    ['hydrant_failures_total{side="server",phase="load"}', 1],
    ['hydrant_failures_total{side="client",phase="client"}', 1],
    ['hydrant_ledger_written_total', 2],
    ['hydrant_ledger_queue', 0],
    ['hydrant_processes{release="1.4.0"}', 1],
    ['hydrant_workers_lost_total', 0],
  ] as const)
    t.equal(metrics.get(name), value, name)
  t.strictSame(await read(admin).then((again) => again.get('hydrant_requests_total{method="POST",status="422"}')), 1)
})

t.test('a server that nobody measures serves as well', async (t) => {
  const app = await createServer({ dir: 'site', logger: false })
  t.teardown(() => app.close())
  t.equal((await app.inject('/')).statusCode, 200)
})
