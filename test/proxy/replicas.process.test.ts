// Three replicas of one build behind nginx, with one ledger in PostgreSQL: restarted, reloaded and killed under load.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createHttpClient, type HttpAnswer } from '../http-client.ts'
import { startPostgres } from '../postgres.ts'
import { runHere } from '../scripts/run-here.ts'
import { buildFiles, HTML } from '../server/served.ts'
import { LONG } from '../server/start/worker-site.ts'
import { type SiteServer, startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { startBalancer } from './nginx.ts'

/** No other test uses this address for its own connections, which could take a replica's port while it is down. */
const HOST = '127.0.0.2'
const ASKERS = 24
/** The pause of a client between a response and its next request. */
const PAUSE_MS = 50

const dir = await buildFiles(join(t.testdir({}), 'site'), {
  'pages/index.tsx': `import { Suspense, use } from 'react'
function Late({ late }) { return <p>{use(late)}</p> }
export default function Page({ data }) {
  return <main><h1>{data.name}</h1><Suspense fallback={<i>waits</i>}><Late late={data.late} /></Suspense></main>
}
`,
  'pages/index.server.ts': `export const load = () => ({
  name: process.env.REPLICA,
  late: new Promise((resolve) => setTimeout(resolve, 10, 'came late')),
})
`,
  'server.ts': `export default async function server(app) {
  app.post('/note', async () => ({ name: process.env.REPLICA }))
  app.get('/fail', async () => { throw new Error('it fails') })
}
`,
})

const { createDatabase } = startPostgres(t)
const ledger = createDatabase('replicas')

function startReplica(name: string, port?: number): Promise<SiteServer> {
  const env = { HOST, REPLICA: name, HYDRANT_LEDGER: ledger, HYDRANT_TRUST_PROXY: '127.0.0.1' }
  const workers = name === 'three' ? { HYDRANT_WORKERS: '2' } : {}
  // For pages that wait, on a busy machine.
  return startSite(t, { dir, env: { ...env, ...workers, ...LONG }, ...(port === undefined ? {} : { port }) })
}

const names = ['one', 'two', 'three'] as const
const replicas = new Map<string, SiteServer>()
await Promise.all(names.map(async (name) => replicas.set(name, await startReplica(name))))
const portOf = (name: string) => Number(replicas.get(name)?.port)
const balancer = await startBalancer(
  t,
  names.map((name) => `${HOST}:${portOf(name)}`),
)
const client = createHttpClient(t, { maxSockets: ASKERS + 4 })

interface Lost {
  path: string
  status?: number
  body?: string
  /** The error of the connection, which was cut. */
  error?: unknown
}

interface Load {
  /** The number of responses of each replica. */
  served: Map<string, number>
  /** Responses that are neither 200 nor complete. */
  failed: Lost[]
  stop(): Promise<void>
}

/** Sends many requests: pages that stream, and requests that no proxy may repeat. */
function load(): Load {
  let isDone = false
  const served = new Map<string, number>()
  const failed: Lost[] = []
  async function ask(isPost: boolean) {
    const asked = isPost ? { path: '/note', method: 'POST' } : { path: '/' }
    try {
      const answer = await client.send({ port: balancer, ...asked, headers: HTML })
      const name = nameIn(answer, isPost)
      if (name === null) failed.push({ ...asked, status: answer.status, body: answer.body })
      else served.set(name, (served.get(name) ?? 0) + 1)
    } catch (error) {
      failed.push({ ...asked, error })
    }
  }
  const asking = Array.from({ length: ASKERS }, async (_, index) => {
    for (; !isDone; await pause(PAUSE_MS)) await ask(index % 4 === 0)
  })
  return {
    served,
    failed,
    async stop() {
      isDone = true
      await Promise.all(asking)
    },
  }
}

/** Returns the replica that has responded; null if the response is not complete. */
function nameIn({ status, body }: HttpAnswer, isPost: boolean): string | null {
  if (status !== 200) return null
  const found = isPost ? /^\{"name":"(\w+)"\}$/ : /<h1>(\w+)<\/h1>(?:.|\n)*came late(?:.|\n)*<\/html>\s*$/
  return found.exec(body)?.[1] ?? null
}

/** Resolves when each of them has responded that many times again. */
async function untilServed({ served }: Load, who: readonly string[] = names, times = 20) {
  const before = new Map(served)
  await until(() => who.every((name) => (served.get(name) ?? 0) >= (before.get(name) ?? 0) + times))
}

t.test('replicas are restarted one after another, and no request is lost', async (t) => {
  const asking = load()
  await untilServed(asking)
  for (const name of ['one', 'two']) {
    const replica = replicas.get(name)
    const port = portOf(name)
    process.kill(Number(replica?.pid), 'SIGTERM')
    t.strictSame(await replica?.ended, [0, null], name)
    replicas.set(name, await startReplica(name, port))
    // The next replica is restarted only when this one gets requests again.
    await untilServed(asking)
  }
  await asking.stop()
  t.strictSame(asking.failed, [])
})

t.test('workers are replaced behind a proxy, and no request is lost', async (t) => {
  const three = replicas.get('three')
  const asking = load()
  await untilServed(asking)
  process.kill(Number(three?.pid), 'SIGHUP')
  await three?.waitForLine(({ msg }) => msg.startsWith('reloaded:'))
  await untilServed(asking)
  await asking.stop()
  t.strictSame(asking.failed, [])
})

interface FailureJson {
  count: number
  occurrences: { digest: string }[]
}

/** Returns the command's output for a digest; null if the failure is not kept. */
async function lookUp(digest: string): Promise<FailureJson | null> {
  const { stdout } = await runHere(['errors', digest, dir, '--json'], { HYDRANT_LEDGER: ledger })
  return stdout === '' ? null : JSON.parse(stdout)
}

async function fail(t: Test, times: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: times }, () => client.send({ port: balancer, path: '/fail', headers: HTML })),
  )
  t.strictSame(
    answers.map(({ status }) => status),
    Array(times).fill(500),
  )
  return answers.map(({ headers }) => String(headers['x-error-digest']))
}

t.test('one replica is killed: responses are complete or refused, no failure is lost or counted twice', async (t) => {
  const before = await fail(t, 30)
  await until(async () => (await lookUp(before[0] ?? ''))?.count === 30)
  const two = replicas.get('two')
  const asking = load()
  await untilServed(asking)
  await two?.stop('SIGKILL')
  await untilServed(asking, ['one', 'three'])
  await asking.stop()
  // A proxy repeats a GET whose response has not begun, and never a POST. A response that has begun is cut visibly.
  t.strictSame(
    asking.failed.filter(({ status, error }) => status !== 502 && error === undefined),
    [],
  )
  t.ok(asking.failed.length <= ASKERS, 'only what was there at that moment')
  const after = await fail(t, 30)
  await until(async () => (await lookUp(after[0] ?? ''))?.count === 60)
  const digests = [...before, ...after]
  t.equal(new Set(digests).size, 60, 'each a digest of its own')
  // Three visitors report these digests to an operator.
  for (const digest of [digests[0], digests[1], digests[2]])
    t.equal((await lookUp(String(digest)))?.occurrences[0]?.digest, digest)
})
