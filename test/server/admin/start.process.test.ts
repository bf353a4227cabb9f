// The admin listener of `hydrant start`, as an operator uses it.

import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runCli, startCli } from '../../scripts/run-cli.ts'
import { until } from '../../until.ts'
import { buildFiles, HTML } from '../served.ts'

const LAST = `export async function load() {
  process.kill(process.pid, 'SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}
`

const FILES = {
  'pages/index.tsx': 'export default function Page() {\n  return <p>page</p>\n}\n',
  'pages/fail.server.ts': "export function load() {\n  throw new Error('it fails')\n}\n",
  'pages/fail.tsx': 'export default function Page() {\n  return <p>page</p>\n}\n',
  // Its server stops while it loads.
  'pages/last.server.ts': LAST,
  'pages/last.tsx': 'export default function Page() {\n  return <p>page</p>\n}\n',
}

const dir = await buildFiles(t.testdir(), FILES)

const SITE = /Server listening at (http:\/\/127\.0\.0\.1:(\d+))/
const CONSOLE = /the console is at (http:\/\/[^"]+)/

/** Takes a port for the duration of the test. Null if it is already in use. */
async function takePort(t: Test, port: number): Promise<number | null> {
  const server = createServer().listen(port, '127.0.0.1')
  const isMine = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  t.teardown(() => void server.close())
  const address = server.address()
  return isMine && typeof address === 'object' && address !== null ? address.port : null
}

t.test(
  'a failure of the site is in the console, the API and the metrics, and not at the site’s own port',
  async (t) => {
    const child = startCli(t, ['start', dir, '--port', '0', '--admin', '0'])
    const [, site = ''] = await child.waitFor(SITE)
    const [, admin = ''] = await child.waitFor(CONSOLE)
    const failed = await fetch(`${site}/fail`, { headers: HTML })
    t.equal(failed.status, 500)
    await fetch(`${site}/`, { headers: HTML }).then((answer) => answer.text())
    const digest = failed.headers.get('x-error-digest') ?? ''

    const answer = await until(async () => {
      const response = await fetch(`${admin}/api/failures/${digest}`)
      return response.status === 404 ? null : response
    })
    t.match(await answer.json(), {
      message: 'it fails',
      source: { file: 'pages/fail.server.ts', line: 2 },
      occurrences: [{ digest, statusSent: 500 }],
    })
    const page = await (await fetch(`${admin}/failures/${digest}`, { headers: HTML })).text()
    t.match(page, 'throw new Error')
    const metrics = await (await fetch(`${admin}/metrics`)).text()
    t.match(metrics, 'hydrant_requests_total{method="GET",status="500",route="/fail"} 1\n')
    t.match(metrics, /hydrant_render_duration_seconds_count [2-9]/)
    t.match(metrics, 'hydrant_failures_total{side="server",phase="load",route="/fail"} 1\n')

    const host = new URL(admin).host
    for (const path of ['/api/failures', '/metrics', `/failures/${digest}`]) {
      t.equal((await fetch(site + path)).status, 404, path)
      t.equal((await fetch(site + path, { headers: { 'x-forwarded-host': host } })).status, 404, path)
    }
    t.equal(await child.stop('SIGTERM'), 0)
  },
)

t.test('requests that end while the server stops are timed', async (t) => {
  const env = { HYDRANT_LEDGER: join(t.testdir({}), 'times.db') }
  const child = startCli(t, ['start', dir, '--port', '0', '--admin', '0'], { env })
  const [, site = ''] = await child.waitFor(SITE)
  await child.waitFor(CONSOLE)
  t.equal((await fetch(`${site}/last`, { headers: HTML })).status, 200)
  t.equal(await child.ended, 0)
  const { stdout } = await runCli(['slow', dir, '--json'], { env })
  t.match(JSON.parse(stdout), { requests: 1, routes: [{ route: '/last' }] })
})

t.test('options of the site do not affect the console', async (t) => {
  const env = {
    HYDRANT_BASE: '/shop',
    HYDRANT_CSP: 'false',
    HYDRANT_REACT_SERVER: 'node',
    HYDRANT_TRUST_PROXY: 'true',
  }
  const child = startCli(t, ['start', dir, '--port', '0', '--admin', '0'], { env })
  const [, admin = ''] = await child.waitFor(CONSOLE)
  const answer = await fetch(admin, { headers: { ...HTML, 'x-forwarded-host': 'evil.example' } })
  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-security-policy'), "default-src 'none'")
  t.match(await answer.text(), 'Failures')
})

t.test('a default port that is in use does not stop the site, whose times are kept', async (t) => {
  await takePort(t, 9320)
  const env = { HYDRANT_ADMIN: '', HYDRANT_LEDGER: join(t.testdir({}), 'times.db') }
  const child = startCli(t, ['start', dir, '--port', '0'], { env })
  const [, site = ''] = await child.waitFor(SITE)
  const [line] = await child.waitFor(/"level":40.*there is no console, because.*/)
  t.match(line, '--admin <port>')
  t.equal((await fetch(`${site}/fail`, { headers: HTML })).status, 500)
  t.equal(await child.stop('SIGTERM'), 0)
  const times: { requests: number; routes: { route: string }[] } = JSON.parse(
    (await runCli(['slow', dir, '--json'], { env })).stdout,
  )
  t.equal(times.requests, 1)
  // A busy machine may block the event loop outside of routes.
  t.strictSame(
    times.routes.map(({ route }) => route).filter((route) => route !== ''),
    ['/fail'],
  )
})

t.test('a configured port that is in use stops the site', async (t) => {
  const port = await takePort(t, 0)
  const { code, stdout, stderr } = await runCli(['start', dir, '--port', '0', '--admin', String(port)])
  t.equal(code, 1)
  t.notMatch(stdout, 'Server listening', 'before it takes requests')
  t.match(stderr, 'HYD_ADMIN_PORT_IN_USE')
  t.match(stderr, '--admin')
  const wrong = await runCli(['start', dir, '--port', '0', '--admin', '192.0.2.1:9320'], {
    env: { HYDRANT_ADMIN_TOKEN: 'correct-horse-battery' },
  })
  t.equal(wrong.code, 1)
  t.match(wrong.stderr, 'HYD_ADMIN_LISTEN_FAILED')
  for (const [words, env, source] of [
    [[], { HOST: '192.0.2.1' }, '"host" is set by HOST'],
    [['--workers', '2'], { HYDRANT_HOST: '192.0.2.1' }, '"host" is set by HYDRANT_HOST'],
    [['--admin', '192.0.2.1:9320'], {}, '"admin" is set by --admin'],
  ] as const)
    t.match((await runCli(['start', dir, '--port', '0', ...words], { env })).stderr, source)
})

t.test('beyond this machine it needs a token', async (t) => {
  const { code, stderr } = await runCli(['start', dir, '--port', '0', '--admin', '0.0.0.0:0'])
  t.equal(code, 2)
  t.match(stderr, 'HYD_OPTION_ADMIN_TOKEN')
  t.match(stderr, 'HYDRANT_ADMIN_TOKEN')
  const env = { HYDRANT_ADMIN_TOKEN: 'too-short' }
  const short = await runCli(['start', dir, '--port', '0', '--admin', '0.0.0.0:0'], { env })
  t.equal(short.code, 2)
  t.notMatch(short.stderr, 'too-short', 'a secret is not shown')
  const child = startCli(t, ['start', dir, '--port', '0', '--admin', '0.0.0.0:0'], {
    env: { HYDRANT_ADMIN_TOKEN: 'correct-horse-battery' },
  })
  const [, origin = ''] = await child.waitFor(CONSOLE)
  t.equal((await fetch(`${origin}/api/failures`)).status, 401)
})

t.test('a read token works next to the other token', async (t) => {
  const READ = 'only-for-reading-it'
  for (const env of [
    { HYDRANT_ADMIN_READ_TOKEN: READ },
    { HYDRANT_ADMIN_READ_TOKEN: READ, HYDRANT_ADMIN_TOKEN: READ },
  ]) {
    const { code, stderr } = await runCli(['start', dir, '--port', '0', '--admin', '0'], { env })
    t.equal(code, 2)
    t.match(
      stderr,
      /"admin\.readToken" must be left out, or set together with a different "admin\.token"; got (?:no|the same)/,
    )
    t.notMatch(stderr, READ)
  }
})

t.test('false turns it off', async (t) => {
  const child = startCli(t, ['start', dir, '--port', '0', '--admin', 'false'])
  const [, site = ''] = await child.waitFor(SITE)
  t.equal((await fetch(site)).status, 200)
  t.equal(await child.stop('SIGTERM'), 0)
  await t.rejects(child.waitFor(CONSOLE))
})
