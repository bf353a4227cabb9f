import t, { type Test } from 'tap'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import { DIGEST_PATTERN } from '../../digest-pattern.ts'
import { startCli } from '../../scripts/run-cli.ts'
import type { LogLine } from '../../site-server.ts'
import { buildFiles } from '../served.ts'

const SERVER = `import { EventEmitter } from 'node:events'

function failLater() {
  throw new Error('in a timer')
}

const ways: Record<string, () => void> = {
  timer: () => void setTimeout(failLater),
  rejection: () => void Promise.reject(new Error('nobody awaits this')),
  event: () => void setTimeout(() => new EventEmitter().emit('error', new Error('an event'))),
  nothing: () => void Promise.reject(undefined),
}

export default async function server(app) {
  let open
  if (process.env.NEVER_CLOSES) app.addHook('onClose', () => new Promise(() => {}))
  app.decorate('stopping', new Promise((resolve) => (open = resolve)))
  app.addHook('preClose', async () => {
    if (process.env.SECOND) ways.rejection()
    open('what came while the server stopped')
  })
  app.decorate('mail', async (to) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    throw new Error('no mailbox ' + to)
  })
  app.post('/mail', async (request) => {
    void app.mail(request.body.email)
    return 'sent'
  })
  app.get('/fail/:way', async (request) => {
    ways[request.params.way]()
    return 'answered'
  })
}
`
const SLOW = `import { Suspense, use } from 'react'
function Late({ late }) { return <p>{use(late)}</p> }
export default function Page({ data }) {
  return <Suspense fallback={<p>waits</p>}><Late late={data.late} /></Suspense>
}
`
const CONFIG = `export default {
  release: 'test-1',
  onFailure: (failure) => console.log(JSON.stringify({ told: failure })),
}
`

const dir = await buildFiles(t.testdir({}), {
  'server.ts': SERVER,
  'hydrant.config.ts': CONFIG,
  'pages/slow.tsx': SLOW,
  'pages/slow.server.ts': 'export const load = ({ app }) => ({ late: app.stopping })\n',
  'pages/contact.tsx': 'export default function Page({ actionData }) { return <p>{actionData}</p> }\n',
  'pages/contact.server.ts': `export const action = ({ app, form }) => {
  void app.mail(form.get('email'))
  return 'sent'
}
`,
  // The promise rejects before the load returns it.
  'pages/early.tsx': SLOW,
  'pages/early.server.ts': `export async function load() {
  const late = Promise.reject(new Error('early'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  return { late }
}
`,
  'pages/never.tsx': SLOW,
  'pages/never.server.ts': 'export const load = () => ({ late: new Promise(() => {}) })\n',
})

async function start(t: Pick<Test, 'teardown'>, env: Record<string, string> = {}) {
  // A promise may wait for its handler as long as a load may take.
  const server = startCli(t, ['start', dir, '--port', '0'], { env: { HYDRANT_TIMEOUTS_LOAD_MS: '500', ...env } })
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  // Each line of the log is JSON, and so is each line that the site writes.
  const parsed = () =>
    server.lines.map((line) => JSON.parse(line) as Partial<LogLine> & { time?: number; told?: FailureRecord })
  return {
    url,
    ended: server.ended,
    stop: server.stop,
    // Sorted by time: a full pipe may get the second line first.
    fatal: () =>
      parsed()
        .filter(({ level }) => level === 60)
        .sort((a, b) => Number(a.time) - Number(b.time)),
    errors: () => parsed().filter(({ level }) => level === 50),
    told: () => parsed().flatMap(({ told }) => told ?? []),
  }
}

const CELLS: readonly [string, { message: string; frame: RegExp | null }][] = [
  ['timer', { message: 'in a timer', frame: /^ {4}at .*failLater \(server\.ts:4:9\)$/ }],
  ['rejection', { message: 'nobody awaits this', frame: /server\.ts:9:40/ }],
  ['event', { message: 'an event', frame: /server\.ts:10:71/ }],
  ['nothing', { message: 'undefined', frame: null }],
]
for (const [way, { message, frame }] of CELLS) {
  t.test(`an exception outside of any request (${way}) ends the process with 1 and is a failure`, async (t) => {
    // No load runs.
    const { url, ended, fatal, told } = await start(t, { HYDRANT_TIMEOUTS_LOAD_MS: '20' })
    await fetch(`${url}/fail/${way}`).then((answer) => answer.text())
    t.equal(await ended, 1)
    const [line, ...others] = fatal()
    t.strictSame(others, [])
    t.match(line, { digest: DIGEST_PATTERN, side: 'server', phase: 'process' })
    t.notOk('route' in Object(line))
    const [, first = ''] = line?.err?.stack.split('\n') ?? []
    t.match(line?.err, { message })
    if (frame) t.match(first, frame)
    t.match(told(), [
      {
        digest: line?.digest,
        fingerprint: line?.digest?.slice(0, 8),
        phase: 'process',
        release: 'test-1',
        ...{ route: null, method: null, path: null, host: null, requestId: null, statusSent: null },
      },
    ])
    t.equal(told().length, 1)
  })
}

t.test('work that nothing awaits shows no value of the request that has started it', async (t) => {
  const email = 'jane@example.org'
  const multipart = new FormData()
  multipart.set('email', email)
  multipart.set('file', new File(['a'], 'a.txt'))
  for (const [path, body, headers] of [
    ['/mail', JSON.stringify({ email }), { 'content-type': 'application/json' }],
    ['/contact', new URLSearchParams({ email }), {}],
    ['/contact', multipart, {}],
  ] as const) {
    const { url, ended, fatal, told } = await start(t)
    const sent = await fetch(url + path, { method: 'POST', headers: { accept: 'text/html', ...headers }, body })
    t.equal(sent.status, 200)
    t.match(await sent.text(), 'sent')
    t.equal(await ended, 1)
    t.match(fatal(), [{ err: { message: 'no mailbox [hidden]' } }])
    t.match(told(), [{ message: 'no mailbox [hidden]' }])
    t.notMatch(JSON.stringify([fatal(), told()]), email)
  }
})

t.test('a promise that rejects before its load returns it is a failure of the request', async (t) => {
  const server = startCli(t, ['start', dir, '--port', '0'])
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  const early = await fetch(`${url}/early`, { headers: { accept: 'text/html' } })
  t.match(await early.text(), 'Application error: a server-side exception')
  t.equal(await server.stop(), 0)
  const failures = server.lines.map((line) => JSON.parse(line) as LogLine).filter(({ digest }) => digest !== undefined)
  t.match(failures, [{ phase: /load|stream|render/, route: '/early', err: { message: 'early' } }])
  t.equal(failures.length, 1)
})

t.test('requests in flight are finished first', async (t) => {
  const { url, ended, fatal } = await start(t)
  const slow = await fetch(`${url}/slow`, { headers: { 'user-agent': 'Mozilla/5.0 Chrome/156.0.0.0 Safari/537.36' } })
  await fetch(`${url}/fail/timer`).then((answer) => answer.text())
  t.match(await slow.text(), /what came while the server stopped(?:.|\n)*<\/html>\s*$/)
  t.equal(await ended, 1)
  t.equal(fatal().length, 1)
})

t.test('an exception during the shutdown is a failure of its own', async (t) => {
  const { url, ended, fatal, told } = await start(t, { SECOND: '1' })
  await fetch(`${url}/fail/timer`).then((answer) => answer.text())
  t.equal(await ended, 1)
  t.match(fatal(), [{ err: { message: 'in a timer' } }, { err: { message: 'nobody awaits this' } }])
  t.strictSame(
    told().map(({ digest }) => digest),
    fatal().map(({ digest }) => digest),
  )
})

t.test('an exception while a signal stops the server makes the exit code 1', async (t) => {
  const { stop, fatal } = await start(t, { SECOND: '1' })
  t.equal(await stop('SIGTERM'), 1)
  t.match(fatal(), [{ digest: DIGEST_PATTERN, err: { message: 'nobody awaits this' } }])
})

t.test(
  'requests that are not finished in time do not block the end of the process, and the failure is kept',
  async (t) => {
    const { url, ended, fatal, told, errors } = await start(t, {
      HYDRANT_TIMEOUTS_DRAIN_MS: '300',
      HYDRANT_TIMEOUTS_RENDER_MS: '60000',
    })
    const headers = { 'user-agent': 'Mozilla/5.0 Chrome/156.0.0.0 Safari/537.36' }
    const never = await fetch(`${url}/never?first`, { headers })
    const others = await Promise.all(Array.from({ length: 11 }, () => fetch(`${url}/never?other`, { headers })))
    await fetch(`${url}/fail/timer`).then((answer) => answer.text())
    for (const response of [never, ...others]) await t.rejects(response.text())
    t.equal(await ended, 1)
    const named = Array(10).fill('GET /never for \\d+ ms').join(', ')
    t.match(errors(), [
      { msg: new RegExp(`^requests in flight were not finished within 300 ms: ${named} and 2 more$`) },
    ])
    t.equal(told()[0]?.digest, fatal()[0]?.digest)
  },
)

t.test('a server that does not stop for another reason than a request says so', async (t) => {
  const { stop, errors } = await start(t, { HYDRANT_TIMEOUTS_DRAIN_MS: '300', NEVER_CLOSES: '1' })
  t.equal(await stop('SIGTERM'), 1)
  const msg = 'the server did not stop within 300 ms, although no request is in flight (0 open connections)'
  t.match(errors(), [{ msg }])
})
