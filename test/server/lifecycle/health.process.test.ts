import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { startCli } from '../../scripts/run-cli.ts'
import { runHere } from '../../scripts/run-here.ts'
import { until } from '../../until.ts'
import { buildFiles, serve } from '../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'server.ts':
    "import { HttpError } from 'hydrant'\nexport default async function server(app) {\n  app.addHook('onRequest', async () => { throw new HttpError(401, 'Log in first') })\n}\n",
})
const open = await buildFiles(join(dir, 'open'), {})

t.test('a load balancer learns that the process responds and is ready, whatever host it names', async (t) => {
  const { app, get } = await serve(t, dir, { hosts: ['shop.example'] })
  t.equal((await get('/', { host: 'shop.example' })).statusCode, 401, 'hooks of the site’s own refuse')
  for (const [name, text] of [
    ['live', 'live\n'],
    ['ready', 'ready\n'],
  ]) {
    const answer = await get(`/_hydrant/${name}`, { host: '10.0.0.7:3000' })
    t.equal(answer.statusCode, 200)
    t.equal(answer.body, text)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.match(answer.headers['content-type'], 'text/plain')
    const head = await app.inject({ method: 'HEAD', url: `/_hydrant/${name}` })
    t.strictSame([head.statusCode, head.body], [200, ''])
  }
})

t.test('both paths are below the base', async (t) => {
  const { get } = await serve(t, dir, { base: '/shop' })
  t.equal((await get('/shop/_hydrant/ready')).statusCode, 200)
  t.equal((await get('/_hydrant/ready')).statusCode, 404)
})

/** Requests over a new connection, as a load balancer does. */
function ask(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part) => {
        body += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    asked.on('error', reject).end()
  })
}

t.test('a server is ready when its first page works, and closes its ledger when it ends', async (t) => {
  const folder = t.testdir({})
  const gate = join(folder, 'gate')
  const ledger = join(folder, 'errors.db')
  const slow = await buildFiles(join(folder, 'slow'), {
    'server.ts': `import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
export default async function server(app) {
  console.log('connecting to the database')
  while (!existsSync(process.env.GATE)) await pause(20)
  app.decorate('database', 'a row')
  app.get('/fail', async () => { throw new Error('it fails') })
}
`,
    'pages/row.tsx': 'export default function Page({ data }) {\n  return <p>{data}</p>\n}\n',
    'pages/row.server.ts': 'export const load = ({ app }) => app.database\n',
  })
  // No other server listens at this address.
  const probe = createServer().listen(0, '127.0.0.4')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  const env = { HOST: '127.0.0.4', GATE: gate, HYDRANT_LEDGER: ledger }
  const server = startCli(t, ['start', slow, '--port', String(port)], { env })
  const url = `http://127.0.0.4:${port}`
  await server.waitFor(/connecting to the database/)
  await t.rejects(ask(`${url}/_hydrant/ready`), { code: 'ECONNREFUSED' })
  writeFileSync(gate, '')
  await until(() =>
    ask(`${url}/_hydrant/ready`).then(
      ({ status }) => t.equal(status, 200, 'nothing else is said before'),
      () => false,
    ),
  )
  t.match(await ask(`${url}/row`), { status: 200, body: 'a row' })
  const failed = await fetch(`${url}/fail`)
  t.equal(await server.stop('SIGTERM'), 0)
  t.notOk(existsSync(`${ledger}-wal`), 'nothing is left beside it')
  const digest = String(failed.headers.get('x-error-digest'))
  const { stdout } = await runHere(['errors', digest, slow, '--json'], { HYDRANT_LEDGER: ledger })
  t.match(JSON.parse(stdout), { message: 'it fails' })
})

// lifecycle/stopping.process.test.ts has a delay that ends.
t.test('a stopping server first reports that it stops, and serves until a second signal ends it', async (t) => {
  const env = { HYDRANT_TIMEOUTS_STOP_DELAY_MS: '600000', HYDRANT_ADMIN: 'false', HYDRANT_LEDGER: 'false' }
  const server = startCli(t, ['start', open, '--port', '0'], { env })
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  t.strictSame(await ask(`${url}/_hydrant/ready`), { status: 200, body: 'ready\n' })
  void server.stop('SIGTERM')
  const stopping = await until(async () => {
    const answer = await ask(`${url}/_hydrant/ready`)
    return answer.status === 503 ? answer : null
  })
  t.equal(stopping.body, 'stopping\n')
  t.equal((await ask(`${url}/_hydrant/live`)).status, 200)
  t.equal((await ask(String(url))).status, 200, 'who has not heard is still answered')
  // At first, it may count as a copy of the first one.
  t.equal(await until(() => Promise.race([server.stop('SIGTERM'), wait(50, null)])), 1)
})
