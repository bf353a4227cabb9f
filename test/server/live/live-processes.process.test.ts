// The streams of live pages in several processes, and when processes end.

import { join } from 'node:path'
import t from 'tap'
import { startPostgres } from '../../postgres.ts'
import { startRedis } from '../../redis.ts'
import { runCli } from '../../scripts/run-cli.ts'
import { type SiteServer, startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { navigationHeaders } from '../lines.ts'
import { buildFiles, type Files, HTML } from '../served.ts'
import { LONG } from '../start/worker-site.ts'
import { countRefreshes, type OpenedStream, openStream, positionIn } from './streams.ts'

const site = (version: string): Files => ({
  'pages/index.tsx': `export default ({ data }) => <p>{data.pid} ${version}</p>\n`,
  'pages/index.server.ts': `export const live = () => ['board']\nexport const load = () => ({ pid: process.pid })\n`,
  'pages/quiet.tsx': 'export default () => <p>quiet</p>\n',
  'pages/quiet.server.ts': `export const live = () => ['quiet']\n`,
  'server.ts': `export default async function server(app) {
  app.addHook('onSend', async (request, reply) => void reply.header('x-pid', process.pid))
  app.get('/publish/:topic', async ({ params }) => ({ pid: process.pid, ...(await app.live.publish(params.topic)) }))
}
`,
})

const folder = t.testdir({})
const dir = await buildFiles(join(folder, 'site'), site('one'))
const NAVIGATION = navigationHeaders(dir)
const ENV = { ...LONG, HYDRANT_LOG_REQUESTS: 'true' }

const originOf = ({ port }: Pick<SiteServer, 'port'>) => `http://127.0.0.1:${port}`
const pidOf = ({ response }: Pick<OpenedStream, 'response'>) => Number(response.headers.get('x-pid'))
// A connection for each request: a kept connection stays with one worker.
const ask = (server: SiteServer, path: string) =>
  fetch(originOf(server) + path, { headers: { ...HTML, connection: 'close' } })

async function open(server: SiteServer, path = '/', headers: Record<string, string> = {}): Promise<OpenedStream> {
  const stream = await openStream(originOf(server) + path, { ...NAVIGATION, ...headers })
  if (stream.response.status === 200) await until(stream.text)
  return stream
}

interface Published {
  pid: number
  isRecorded: boolean
}

async function publish(server: SiteServer, topic: string): Promise<Published> {
  return (await ask(server, `/publish/${topic}`)).json()
}

async function publishBy(server: SiteServer, pid: number, topic: string): Promise<void> {
  await until(async () => (await publish(server, topic)).pid === pid)
}

async function positionAt(server: SiteServer): Promise<{ pid: number; position: string }> {
  const response = await ask(server, '/')
  const position = /"live":"([^"]*)"/.exec(await response.text())?.[1] ?? ''
  return { pid: Number(response.headers.get('x-pid')), position }
}

/** Opens streams until each of two processes has one. */
async function openInBoth(open: () => Promise<OpenedStream>): Promise<[OpenedStream, OpenedStream]> {
  const first = await open()
  const second = await until(async () => {
    const stream = await open()
    if (pidOf(stream) !== pidOf(first)) return stream
    stream.leave()
    return null
  })
  return [first, second]
}

/** Lines that say of a stream what is not true, or that something went wrong. */
const oddLines = ({ lines }: SiteServer) =>
  lines.filter(({ level, msg }) => level > 30 || /premature|aborted/.test(msg)).map(({ msg }) => msg)

t.test('what a worker publishes reaches the pages of the other workers', async (t) => {
  const server = await startSite(t, { dir, env: { ...ENV, HYDRANT_WORKERS: '2' } })
  const [one, other] = await openInBoth(() => open(server))
  const quiet = await open(server, '/quiet')
  for (const { response } of [one, other]) {
    const counts = [one, other].map(({ text }) => countRefreshes(text()))
    await publishBy(server, pidOf({ response }), 'board')
    await one.refreshed(Number(counts[0]) + 1)
    await other.refreshed(Number(counts[1]) + 1)
  }
  t.equal(countRefreshes(quiet.text()), 0)
  await until(() => positionIn(one.text()) === positionIn(other.text()))

  // A page of one worker may have its stream in the other.
  const { pid, position } = await positionAt(server)
  t.equal(position, positionIn(one.text()))
  const elsewhere = await until(async () => {
    const stream = await open(server, '/', { 'last-event-id': position })
    return pidOf(stream) !== pid ? stream : null
  })
  t.equal(countRefreshes(elsewhere.text()), 0)
  await publishBy(server, pid, 'board')
  await elsewhere.refreshed(1)
  const late = await until(async () => {
    const stream = await open(server, '/', { 'last-event-id': position })
    return pidOf(stream) !== pid ? stream : null
  })
  await late.refreshed(1)
  await server.stop()
  t.strictSame(oddLines(server), [])
})

t.test('a worker that is killed takes only its own streams with it', async (t) => {
  const server = await startSite(t, { dir, env: { ...ENV, HYDRANT_WORKERS: '2' } })
  const [killed, stays] = await openInBoth(() => open(server))
  await publishBy(server, pidOf(killed), 'board')
  await stays.refreshed(1)
  const position = String(positionIn(stays.text()))
  process.kill(pidOf(killed), 'SIGKILL')
  await killed.ended
  const again = await until(async () => {
    const stream = await open(server, '/', { 'last-event-id': position }).catch(() => null)
    return stream && pidOf(stream) !== pidOf(stays) ? stream : null
  })
  await publishBy(server, pidOf(stays), 'board')
  await again.refreshed(1)
  await publishBy(server, pidOf(again), 'board')
  await until(() => positionIn(stays.text()) === positionIn(again.text()))
})

const postgres = startPostgres(t)
const redis = await startRedis(t)

for (const [name, url] of [
  ['PostgreSQL', postgres.createDatabase('live')],
  ['Redis', redis.nextDatabase()],
] as const)
  t.test(`${name}: what a process publishes reaches the pages of another one`, async (t) => {
    const env = { ...ENV, HYDRANT_PAGE_CACHE_STORE: url }
    const [one, other] = [await startSite(t, { dir, env }), await startSite(t, { dir, env })]
    // Both have contact with the store.
    await until(async () => (await positionAt(one)).position === (await positionAt(other)).position)
    const streams = [await open(one), await open(other), await open(other, '/quiet')] as const
    const before = streams.map(({ text }) => countRefreshes(text()))
    const refreshed = async (times: number) => {
      for (const [index, stream] of streams.slice(0, 2).entries()) await stream.refreshed(Number(before[index]) + times)
    }
    const { position } = await positionAt(one)
    await publish(one, 'board')
    await refreshed(1)
    await publish(other, 'board')
    await refreshed(2)
    t.equal(countRefreshes(streams[2].text()), before[2])

    const now = await positionAt(one)
    await until(async () => (await positionAt(other)).position === now.position)
    t.equal(countRefreshes((await open(other, '/', { 'last-event-id': now.position })).text()), 0)
    await (await open(other, '/', { 'last-event-id': position })).refreshed(1)

    // A process that starts later knows nothing of the time before, and has the same position.
    const third = await startSite(t, { dir, env })
    await until(async () => (await positionAt(third)).position === now.position)
    t.equal(countRefreshes((await open(third, '/', { 'last-event-id': now.position })).text()), 0)
    await (await open(third, '/', { 'last-event-id': position })).refreshed(1)
  })

t.test('a store that is away keeps no page from refreshing', async (t) => {
  const redis = await startRedis(t)
  const env = { ...ENV, HYDRANT_PAGE_CACHE_STORE: redis.url }
  const [one, other] = [await startSite(t, { dir, env }), await startSite(t, { dir, env })]
  await until(async () => (await positionAt(one)).position === (await positionAt(other)).position)
  const [near, far] = [await open(one), await open(other)]
  const { position } = await positionAt(one)
  const before = countRefreshes(far.text())
  await redis.kill()
  for (let n = 1; n <= 3; n++) {
    const told = countRefreshes(near.text())
    t.match(await publish(one, 'board'), { isRecorded: false })
    await near.refreshed(told + 1)
    t.not(positionIn(near.text()), position, 'the page sees that it lacks something')
    t.equal((await positionAt(one)).position, positionIn(near.text()))
  }
  await (await open(one, '/', { 'last-event-id': position })).refreshed(1)
  t.equal(countRefreshes(far.text()), before)
  await redis.start()
  await far.refreshed(before + 1)
  await until(async () => (await positionAt(one)).position === (await positionAt(other)).position)
  t.match(await publish(other, 'board'), { isRecorded: true })
  const told = countRefreshes(near.text())
  await until(async () => (await publish(other, 'board')).isRecorded && countRefreshes(near.text()) > told)
})

for (const workers of ['0', '2'])
  t.test(
    `a server that is told to stop ends its streams, and does not wait for them: ${workers} workers`,
    async (t) => {
      const server = await startSite(t, {
        dir,
        env: { ...ENV, ...(workers === '0' ? {} : { HYDRANT_WORKERS: workers }) },
      })
      const streams = await Promise.all(Array.from({ length: 30 }, () => open(server)))
      await publish(server, 'board')
      for (const { refreshed } of streams) await refreshed(1)
      process.kill(server.pid, 'SIGTERM')
      const texts = await Promise.all(streams.map(({ ended }) => ended))
      t.strictSame(
        texts.filter((text) => !/\n\nretry: \d{4}\n\n$/.test(text)),
        [],
        'each says when to come again',
      )
      t.strictSame(await server.ended, [0, null])
      t.strictSame(oddLines(server), [], 'no deadline has passed')
      t.equal(server.lines.filter(({ msg }) => msg === 'stream ended').length, 30)
    },
  )

t.test('new code: the streams of the old workers end, and those of the new ones have another build', async (t) => {
  const own = await buildFiles(join(folder, 'reloaded'), site('one'))
  const server = await startSite(t, { dir: own, env: { ...ENV, HYDRANT_WORKERS: '2' } })
  const streams = await openInBoth(() => open(server))
  await publish(server, 'board')
  for (const { refreshed } of streams) await refreshed(1)
  const position = String(positionIn(streams[0].text()))
  await buildFiles(own, site('two'))
  process.kill(server.pid, 'SIGHUP')
  const texts = await Promise.all(streams.map(({ ended }) => ended))
  for (const text of texts) t.match(text, /\n\nretry: \d+\n\n$/)
  await server.waitForLine(({ msg }) => msg.startsWith('reloaded:'))
  const again = await open(server, '/', { 'last-event-id': position })
  t.notOk(streams.some((stream) => pidOf(stream) === pidOf(again)))
  t.not(again.response.headers.get('hydrant-build'), NAVIGATION['hydrant-build'])
  t.equal(again.response.headers.get('hydrant-build'), navigationHeaders(own)['hydrant-build'])
  await publish(server, 'board')
  await again.refreshed(1)
  await server.stop()
  t.strictSame(oddLines(server), [])
})

async function adminOf({ waitForLine }: SiteServer): Promise<string> {
  const { msg } = await waitForLine((line) => line.msg.startsWith('the console is at'))
  return String(/http:\S+/.exec(msg)?.[0])
}

t.test('metrics count streams, and measure nothing that depends on how long a visitor looks', async (t) => {
  const ledger = join(t.testdir({}), 'ledger.db')
  const env = {
    ...ENV,
    HYDRANT_WORKERS: '2',
    HYDRANT_ADMIN: '0',
    HYDRANT_LEDGER: ledger,
    HYDRANT_LIMITS_MAX_LIVE_STREAMS_PER_ADDRESS: '20',
  }
  const server = await startSite(t, { dir, env })
  const admin = await adminOf(server)
  const metrics = async () => (await fetch(`${admin}/metrics`)).text()
  const sampleOf = async (name: string) => {
    const line = (await metrics()).split('\n').find((line) => line.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }
  t.equal(await sampleOf('hydrant_live_streams'), 0)
  const streams = await openInBoth(() => open(server))
  // Those that were left meanwhile are gone.
  await until(async () => (await sampleOf('hydrant_live_streams')) === 2)
  // A worker that is busy counts with its last numbers.
  await until(async () => (await sampleOf('hydrant_renders')) === 0)
  await until(async () => (await sampleOf('hydrant_requests_in_flight')) === 2)
  const opened: OpenedStream[] = [...streams]
  while (opened.at(-1)?.response.status === 200) opened.push(await open(server))
  t.equal(opened.at(-1)?.response.status, 503)
  t.ok(opened.length > 20)
  await until(async () => (await sampleOf('hydrant_live_streams')) === opened.length - 1)
  await until(async () => (await sampleOf('hydrant_shed_total{reason="streams"}')) > 0)
  t.equal(await sampleOf('hydrant_shed_total{reason="streams"}'), 1)
  t.equal(await sampleOf('hydrant_shed_total{reason="renders"}'), 0)

  for (const { leave } of opened) leave()
  await until(async () => (await sampleOf('hydrant_live_streams')) === 0)
  await until(async () => (await sampleOf('hydrant_requests_in_flight')) === 0)
  const text = await metrics()
  t.match(text, 'hydrant_requests_total{method="GET",status="200",route="/"}')
  t.notMatch(text, /^hydrant_requests_aborted_total\{/m)
  t.notMatch(text, /^hydrant_request_duration_seconds.*route="\/".*status_class="2xx"/m)
  await server.stop()
  t.strictSame(
    oddLines(server).filter((msg) => !msg.startsWith('refused with 503')),
    [],
  )
  const { stdout } = await runCli(['slow', dir, '--json'], { env: { HYDRANT_LEDGER: ledger } })
  t.match(JSON.parse(stdout), { requests: 1 }, 'the one that was refused')
})
