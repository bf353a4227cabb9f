import { request } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { startCli } from '../scripts/run-cli.ts'
import { until } from '../until.ts'
import { buildFiles, serve } from './served.ts'

const dir = await buildFiles(t.testdir({}), {
  'server.ts':
    "import { HttpError } from 'hydrant'\nexport default async function server(app) {\n  app.addHook('onRequest', async () => { throw new HttpError(401, 'Log in first') })\n}\n",
})
const open = await buildFiles(join(dir, 'open'), {})

t.test('a load balancer hears that the process answers and is ready, whoever it asks as', async (t) => {
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

t.test('they lie below the base', async (t) => {
  const { get } = await serve(t, dir, { base: '/shop' })
  t.equal((await get('/shop/_hydrant/ready')).statusCode, 200)
  t.equal((await get('/_hydrant/ready')).statusCode, 404)
})

/** In a connection of its own, as a load balancer asks. */
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

t.test('told to stop, a server says so first and goes on until the others have heard', async (t) => {
  const env = { HYDRANT_TIMEOUTS_STOP_DELAY_MS: '3000', HYDRANT_ADMIN: 'false', HYDRANT_LEDGER: 'false' }
  const server = startCli(t, ['start', open, '--port', '0'], { env })
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  t.strictSame(await ask(`${url}/_hydrant/ready`), { status: 200, body: 'ready\n' })
  const code = server.stop('SIGTERM')
  const stopping = await until(async () => {
    const answer = await ask(`${url}/_hydrant/ready`)
    return answer.status === 503 ? answer : null
  })
  t.equal(stopping.body, 'stopping\n')
  t.equal((await ask(`${url}/_hydrant/live`)).status, 200)
  t.equal((await ask(String(url))).status, 200, 'who has not heard is still answered')
  t.equal(await code, 0)
})

t.test('a second signal ends it at once', async (t) => {
  const env = { HYDRANT_TIMEOUTS_STOP_DELAY_MS: '600000', HYDRANT_ADMIN: 'false', HYDRANT_LEDGER: 'false' }
  const server = startCli(t, ['start', open, '--port', '0'], { env })
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  void server.stop('SIGTERM')
  await until(async () => (await ask(`${url}/_hydrant/ready`)).status === 503)
  t.equal(await server.stop('SIGTERM'), 1)
})
