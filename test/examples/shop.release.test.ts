import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify, { type FastifyPluginAsync } from 'fastify'
import t from 'tap'
import { startCli } from '../scripts/run-cli.ts'
import { testExample } from './example-site.ts'

const dir = await testExample(t, 'shop')
const FIXED = { STAFF_PASSWORD: 'assam', HYDRANT_LEDGER: 'false', PORT: '0' }

t.test('the shop does not start in production without its secrets', async (t) => {
  for (const [name, env] of [
    ['SESSION_KEY', FIXED],
    ['SESSION_KEY', { ...FIXED, SESSION_KEY: '' }],
    ['STAFF_PASSWORD', { ...FIXED, STAFF_PASSWORD: '', SESSION_KEY: randomKey() }],
  ] as const) {
    const server = startCli(t, ['start'], { cwd: dir, env })
    const code = await server.waitFor(/listening at /).then(
      () => 'it listens',
      () => server.ended,
    )
    t.equal(code, 1)
    t.match(server.lines.join('\n'), `Set ${name}`)
  }
})

t.test('the shop accepts no session that was written with a key of its files', async (t) => {
  const key = randomKey()
  const server = startCli(t, ['start'], { cwd: dir, env: { ...FIXED, SESSION_KEY: key } })
  const [, origin = ''] = await server.waitFor(/listening at (http:[^"]+)/)
  const visit = async (key: string | Buffer) => {
    const { status } = await fetch(`${origin}/admin`, {
      headers: { cookie: await writeSession(key) },
      redirect: 'manual',
    })
    return status
  }
  t.equal(await visit(Buffer.alloc(32, 'only for development')), 302)
  t.equal(await visit('b25seSBmb3IgZGV2ZWxvcG1lbnQsIG5vdCBzZWNyZXQ='), 302)
  t.equal(await visit(key), 200, 'the key of the server works')
  await server.stop()
})

const randomKey = () => randomBytes(32).toString('base64')

/** Returns the cookie of a member of the staff, as one who knows the key can write it. */
async function writeSession(key: string | Buffer): Promise<string> {
  const path = join(dir, 'node_modules/@fastify/secure-session/index.js')
  // The module is a plugin with these options and this decorator.
  const { default: secureSession } = (await import(pathToFileURL(path).href)) as {
    default: FastifyPluginAsync<{ key: string | Buffer }>
  }
  const app = Fastify()
  await app.register(secureSession, { key })
  app.get('/', async (request) => {
    const { session } = request as unknown as { session: { set(name: string, value: unknown): void } }
    session.set('isStaff', true)
    return ''
  })
  const { headers } = await app.inject('/')
  return String(headers['set-cookie']).replace(/;.*/, '')
}
