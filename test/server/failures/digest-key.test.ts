import Fastify from 'fastify'
import t from 'tap'
import { fingerprintOf } from '../../../src/server/failures/fingerprint.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { hydrant } from '../../../src/server/plugin.ts'
import { buildFiles, createLog, fingerprintOfResponse, HTML, serve } from '../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'pages/index.server.ts': "export function load() {\n  throw new Error('no price')\n}\n",
})
const KEY = 'correct-horse-battery-staple'
const known = fingerprintOf({
  type: 'Error',
  message: 'no price',
  frames: [{ file: 'pages/index.server.ts', function: 'load' }],
})

const report = {
  kind: 'failure',
  build: 'x',
  path: '/nowhere',
  isRecovered: false,
  error: { type: 'Error', message: 'broken', stack: '' },
}

async function fingerprintsWith(digestKey?: string) {
  const { app, get, log } = await serve(t, dir, digestKey === undefined ? {} : { digestKey })
  const ofServer = fingerprintOfResponse(await get('/'))
  const headers = { origin: 'http://shop.example', host: 'shop.example' }
  await app.inject({ method: 'POST', url: '/_hydrant/report', headers, payload: report })
  const ofClient = log
    .errors()
    .find(({ side }) => side === 'client')
    ?.digest?.slice(0, 8)
  t.notMatch(JSON.stringify(log.lines), KEY)
  return { ofServer, ofClient }
}

t.test('without a key, the fingerprint can be computed from the error', async (t) => {
  t.equal((await fingerprintsWith()).ofServer, known)
})

t.test('with a key the fingerprint cannot be computed, and servers with the same key agree', async (t) => {
  const [none, one, same, another] = [
    await fingerprintsWith(),
    await fingerprintsWith(KEY),
    await fingerprintsWith(KEY),
    await fingerprintsWith(`${KEY}s`),
  ]
  t.strictSame(one, same)
  for (const name of ['ofServer', 'ofClient'] as const) {
    t.equal(new Set([none[name], one[name], another[name]]).size, 3, name)
  }
})

t.test('the plugin accepts a key', async (t) => {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  await app.register(hydrant, { dir, digestKey: KEY })
  const response = await app.inject({ url: '/', headers: HTML })
  t.equal(fingerprintOfResponse(response), (await fingerprintsWith(KEY)).ofServer)
})

t.test('the key comes from the environment, and no error shows it', async (t) => {
  t.equal(resolveOptions({ env: { HYDRANT_DIGEST_KEY: KEY } }).digestKey, KEY)
  t.equal(resolveOptions({}).digestKey, '')
  for (const wrong of ['short', 'with a blank in it', `${'x'.repeat(201)}`]) {
    const problem = {
      code: 'HYD_OPTION_INVALID',
      message: /"HYDRANT_DIGEST_KEY" must be a string .*; got a secret value$/,
    }
    t.throws(() => resolveOptions({ env: { HYDRANT_DIGEST_KEY: wrong } }), problem)
    t.throws(() => resolveOptions({ config: { digestKey: wrong } }), { message: /; got a secret value$/ })
  }
})
