// Runs each `server.ts` of docs/ecosystem.md with the real plugin.

import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { createServer } from '../../src/server/create-server.ts'
import { buildFiles, HTML, JSON_ONLY, writeFiles } from '../server/served.ts'
import { readMarkdown } from './code/code-block.ts'
import { installDocumentedPackages, linkDocumentedPackages } from './code/documented-packages.ts'

type Plugin = (app: FastifyInstance) => Promise<void>

const page = 'export default function Page() {\n  return <html><body><main><h1>Page</h1></main></body></html>\n}\n'
const blocks = new Map(
  readMarkdown('docs/ecosystem.md').map(({ text }) => [/from '@fastify\/([\w-]+)'/.exec(text)?.[1] ?? '', text]),
)
// The example of sessions imports two plugins.
const examples = new Map([...blocks].map(([name, text]) => [name === 'cookie' ? 'session' : name, text]))
const tested = new Set<string>()

const KEY = '__ecosystem'
const dir = await buildFiles(t.testdir({}), {
  'pages/index.tsx': page,
  'pages/form.tsx': page,
  'pages/form.server.ts': "export const action = ({ form }) => ({ name: form.get('name') })\n",
  'server.ts': `export default (app) => globalThis.${KEY}(app)\n`,
})
await installDocumentedPackages()
linkDocumentedPackages(dir)

/** Creates the site with the example of a plugin as its `server.ts`. */
async function serve(t: Test, name: string, change = (text: string) => text): Promise<FastifyInstance> {
  tested.add(name)
  const source = `examples/${t.fullname.replace(/\W+/g, '-')}.ts`
  writeFiles(dir, { [source]: change(examples.get(name) ?? '') })
  const outfile = join(dir, source.replace(/ts$/, 'mjs'))
  await build({ entryPoints: [join(dir, source)], outfile, format: 'esm', platform: 'node', logLevel: 'silent' })
  // The example is a module with a plugin as its default export.
  const { default: plugin } = (await import(pathToFileURL(outfile).href)) as { default: Plugin }
  Reflect.set(globalThis, KEY, plugin)
  const app = await createServer({ dir, ledger: false, logger: false })
  t.teardown(() => app.close())
  return app
}

t.test('@fastify/session', async (t) => {
  const app = await serve(t, 'session')
  const first = await app.inject({ url: '/', headers: HTML })
  t.equal(first.statusCode, 200)
  t.equal(first.headers['cache-control'], 'private, no-cache')
  const cookie = String(first.headers['set-cookie']).split(';')[0] ?? ''
  t.match(cookie, /^sessionId=/)
  const again = await app.inject({ url: '/', headers: { ...HTML, cookie } })
  t.equal(again.statusCode, 200)
  t.equal(String(again.headers['set-cookie']).split(';')[0], cookie)
  t.equal((await app.inject('/_hydrant/live')).headers['set-cookie'], undefined)
})

t.test('@fastify/jwt', async (t) => {
  const app = await serve(t, 'jwt')
  const refused = await app.inject({ method: 'POST', url: '/api/orders' })
  t.equal(refused.statusCode, 401)
  t.match(refused.headers['content-type'], 'application/problem+json')
  const wrong = { authorization: 'Bearer a.b.c' }
  t.equal((await app.inject({ method: 'POST', url: '/api/orders', headers: wrong })).statusCode, 401)
  t.equal((await app.inject({ url: '/', headers: HTML })).statusCode, 200)
})

t.test('@fastify/cors', async (t) => {
  const app = await serve(t, 'cors')
  const origin = 'https://app.example'
  const data = await app.inject({ url: '/', headers: { ...HTML, origin } })
  t.equal(data.headers['access-control-allow-origin'], origin)
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/',
    headers: { origin, 'access-control-request-method': 'GET' },
  })
  t.equal(preflight.statusCode, 204)
  t.equal(preflight.headers['access-control-allow-methods'], 'GET, HEAD')
  const sent = await app.inject({ method: 'POST', url: '/form', headers: { ...JSON_ONLY, origin } })
  t.equal(sent.statusCode, 403)
})

t.test('@fastify/rate-limit', async (t) => {
  const app = await serve(t, 'rate-limit', (text) => text.replace('max: 100', 'max: 2'))
  const statuses = []
  for (let count = 0; count < 3; count++) statuses.push((await app.inject({ url: '/', headers: HTML })).statusCode)
  t.strictSame(statuses, [200, 200, 429])
  const refused = await app.inject({ url: '/', headers: JSON_ONLY })
  t.equal(refused.statusCode, 429)
  t.match(refused.headers['content-type'], 'application/problem+json')
  t.equal((await app.inject('/_hydrant/live')).statusCode, 200)
})

t.test('@fastify/multipart', async (t) => {
  const app = await serve(t, 'multipart')
  const headers = { ...JSON_ONLY, 'content-type': 'multipart/form-data; boundary=b' }
  const payload = '--b\r\ncontent-disposition: form-data; name="name"; filename="a.txt"\r\n\r\ntea\r\n--b--\r\n'
  const video = await app.inject({ method: 'POST', url: '/api/videos', headers, payload })
  t.equal(video.statusCode, 201)
  t.strictSame(video.json(), { bytes: 3 })
  const form = payload.replace('; filename="a.txt"', '')
  const acted = await app.inject({ method: 'POST', url: '/form', headers, payload: form })
  t.strictSame(acted.json(), { name: 'tea' })
})

t.test('@fastify/websocket', async (t) => {
  const app = await serve(t, 'websocket')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = (origin: string) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      origin,
    }
    return request(`${url}/chat`, { headers }).end()
  }
  const opened = open(url)
  const [response, socket] = await once(opened, 'upgrade')
  t.equal(response.statusCode, 101)
  // A text frame with the mask 0 and the text "tea".
  socket.write(Buffer.from([0x81, 0x83, 0, 0, 0, 0, ...Buffer.from('tea')]))
  const [frame] = await once(socket, 'data')
  t.match(String(frame), 'you said: tea')
  const [refused] = await once(open('https://other.example'), 'response')
  t.equal(refused.statusCode, 403)
  // Only the server can end it: `app.close()` below would wait for it.
  await once(refused.resume().socket, 'close')
  t.equal((await fetch(`${url}/chat`)).status, 426)
  t.equal((await fetch(url, { headers: HTML })).status, 200)
  // The server closes the socket, and the client confirms it with a frame of its own.
  socket.once('data', () => socket.end(Buffer.from([0x88, 0x80, 0, 0, 0, 0])))
  const ended = once(socket, 'close')
  await app.close()
  await ended
})

t.test('@fastify/swagger', async (t) => {
  const app = await serve(t, 'swagger')
  const { paths } = (await app.inject('/openapi.json')).json()
  t.strictSame(Object.keys(paths), ['/api/products'])
  t.equal((await app.inject({ url: '/', headers: HTML })).statusCode, 200)
})

t.test('@fastify/under-pressure', async (t) => {
  const calm = await serve(t, 'under-pressure')
  t.equal((await calm.inject({ url: '/', headers: HTML })).statusCode, 200)
  await t.test('a busy server', async (t) => {
    const ill = 'healthCheck: async () => false, healthCheckInterval: 60_000'
    const app = await serve(t, 'under-pressure', (text) => text.replace('maxEventLoopDelay: 1_000', ill))
    const { statusCode, headers } = await app.inject({ url: '/', headers: HTML })
    t.equal(statusCode, 503)
    t.equal(headers['retry-after'], '10')
    t.equal((await app.inject('/_hydrant/live')).statusCode, 200)
  })
})

t.test('@fastify/helmet', async (t) => {
  const app = await serve(t, 'helmet')
  const { headers, body } = await app.inject({ url: '/', headers: HTML })
  const nonce = /<script[^>]* nonce="([^"]+)"/.exec(body)?.[1] ?? 'none'
  t.match(headers['content-security-policy'], `'nonce-${nonce}'`)
})

t.test('each example has been run', async (t) => {
  t.strictSame(
    [...examples.keys()].filter((name) => !tested.has(name)),
    [],
  )
  t.ok(examples.size > 8)
})
