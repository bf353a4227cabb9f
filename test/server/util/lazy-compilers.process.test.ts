import t, { type Test } from 'tap'
import { startSite } from '../../site-server.ts'
import { buildFiles, type Files, JSON_ONLY } from '../served.ts'

const SERVER_PLUGIN = `export default async function plugin(app) {
  const schema = { headers: { type: 'object', required: ['X-Shop'], properties: { 'X-Shop': { type: 'string' } } } }
  app.get('/shop', { schema }, async () => 'open')
}
`
const files: Files = {
  // `request` and `reply` are Fastify's own, so their methods have to work without a route that has a schema.
  'pages/index.server.ts': `import { createRequire } from 'node:module'

const SCHEMA = { type: 'object', required: ['amount'], properties: { amount: { type: 'integer' } } }
const { cache } = createRequire(import.meta.url)
const loaded = () => ['ajv', '@fastify/fast-json-stringify-compiler'].filter((name) =>
  Object.keys(cache).some((file) => file.includes(\`/node_modules/\${name}/\`)),
)

export function load({ request, reply }) {
  const before = loaded()
  if (!request.query.check) return { before }
  return {
    before,
    ok: request.validateInput({ amount: 2 }, SCHEMA),
    wrong: request.validateInput({ amount: 'two' }, SCHEMA),
    json: reply.serializeInput({ amount: 3, secret: 4 }, SCHEMA),
  }
}
`,
}

async function start(t: Test, own: Files) {
  const { port } = await startSite(t, { dir: await buildFiles(t.testdir(), own) })
  return async (path: string, headers: Record<string, string> = {}) =>
    await fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...JSON_ONLY, ...headers } })
}

t.test('a server without server.ts loads the compilers of schemas only when they are used', async (t) => {
  const get = await start(t, files)
  t.strictSame(await (await get('/')).json(), { before: [] })
  t.strictSame(await (await get('/?check=1')).json(), { before: [], ok: true, wrong: false, json: '{"amount":3}' })
})

t.test('the schemas of routes of server.ts match header names in any case', async (t) => {
  const get = await start(t, { ...files, 'server.ts': SERVER_PLUGIN })
  t.equal((await get('/shop')).status, 400)
  t.equal((await get('/shop', { 'x-shop': 'a' })).status, 200)
})
