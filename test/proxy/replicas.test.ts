// Three replicas of one build behind nginx, with one ledger in PostgreSQL: restarted, reloaded and killed while they are asked.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createHttpClient, type HttpAnswer } from '../http-client.ts'
import { startPostgres } from '../postgres.ts'
import { runCli } from '../scripts/run-cli.ts'
import { LONG } from '../server/cluster/worker-site.ts'
import { buildFiles, HTML } from '../server/served.ts'
import { type SiteServer, startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { startBalancer } from './nginx.ts'

/** No other address has connections of its own here, which could take a replica's port while it is away. */
const HOST = '127.0.0.2'
const ASKERS = 24

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
  // For pages that wait, on a machine that is busy.
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
  /** Of the connection, which has been cut. */
  error?: unknown
}

interface Load {
  /** How many answers came from each. */
  served: Map<string, number>
  /** Neither 200 nor whole. */
  failed: Lost[]
  stop(): Promise<void>
}

/** Asks without a pause: pages that come in parts, and what no proxy may send a second time. */
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
    while (!isDone) await ask(index % 4 === 0)
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

/** Who has answered; null for what is no whole answer. */
function nameIn({ status, body }: HttpAnswer, isPost: boolean): string | null {
  if (status !== 200) return null
  const found = isPost ? /^\{"name":"(\w+)"\}$/ : /<h1>(\w+)<\/h1>(?:.|\n)*came late(?:.|\n)*<\/html>\s*$/
  return found.exec(body)?.[1] ?? null
}

/** Resolves when each of them has answered that often again. */
async function untilServed({ served }: Load, who: readonly string[] = names, times = 20) {
  const before = new Map(served)
  await until(() => who.every((name) => (served.get(name) ?? 0) >= (before.get(name) ?? 0) + times))
}

t.test('replicas are restarted one after the other, and no request is lost', async (t) => {
  const asking = load()
  await untilServed(asking)
  for (const name of ['one', 'two']) {
    const replica = replicas.get(name)
    const port = portOf(name)
    process.kill(Number(replica?.pid), 'SIGTERM')
    t.strictSame(await replica?.ended, [0, null], name)
    replicas.set(name, await startReplica(name, port))
    // The next one is only to go when this one is asked again.
    await untilServed(asking)
  }
  await asking.stop()
  t.strictSame(asking.failed, [])
})

t.test('workers are exchanged behind a proxy, and no request is lost', async (t) => {
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

/** What the command says of a digest; null when it is not kept. */
async function lookUp(digest: string): Promise<FailureJson | null> {
  const { stdout } = await runCli(['errors', digest, dir, '--json'], { env: { HYDRANT_LEDGER: ledger } })
  return stdout === '' ? null : JSON.parse(stdout)
}

async function fail(t: Test, times: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: times }, () => client.send({ port: balancer, path: '/fail', headers: HTML })),
  )
  for (const { status } of answers) t.equal(status, 500)
  return answers.map(({ headers }) => String(headers['x-error-digest']))
}

t.test('one is killed: answers are whole or refused, and no failure is lost or counted twice', async (t) => {
  const before = await fail(t, 30)
  await until(async () => (await lookUp(before[0] ?? ''))?.count === 30)
  const two = replicas.get('two')
  const asking = load()
  await untilServed(asking)
  await two?.stop('SIGKILL')
  await untilServed(asking, ['one', 'three'])
  await asking.stop()
  // A proxy sends a GET again whose answer has not begun, and no POST. What has begun is cut where the visitor can see it.
  t.strictSame(
    asking.failed.filter(({ status, error }) => status !== 502 && error === undefined),
    [],
  )
  t.ok(asking.failed.length <= ASKERS, 'only what was there at that moment')
  const after = await fail(t, 30)
  await until(async () => (await lookUp(after[0] ?? ''))?.count === 60)
  const digests = [...before, ...after]
  t.equal(new Set(digests).size, 60, 'each a digest of its own')
  // As an operator is told them by three visitors.
  for (const digest of [digests[0], digests[1], digests[2]])
    t.equal((await lookUp(String(digest)))?.occurrences[0]?.digest, digest)
})
