import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { testSite } from '../../test-site.ts'

const THROWN: readonly [value: unknown, shown: string][] = [
  [undefined, 'undefined'],
  [null, 'null'],
  ['', "''"],
  [0, '0'],
  ['no database', "'no database'"],
  [{ code: 7 }, '{ code: 7 }'],
  [Symbol('away'), 'Symbol(away)'],
  [Object.create(null), '[Object: null prototype] {}'],
]

const guard = (app: FastifyInstance) =>
  void app.addHook('onRequest', async () => {
    throw new Error('members only')
  })

/** Plugins that throw a value before their guard is registered. */
const WAYS = {
  'rejects with': (thrown: unknown) => async (app: FastifyInstance) => {
    await Promise.reject(thrown)
    guard(app)
  },
  throws: (thrown: unknown) => (app: FastifyInstance, _options: unknown, done: () => void) => {
    if (app) throw thrown
    guard(app)
    done()
  },
}

for (const [way, createPlugin] of Object.entries(WAYS)) {
  t.test(`a site whose server.ts ${way} a value that is not an Error does not start without its guards`, async (t) => {
    for (const [thrown, shown] of THROWN) {
      const started = testSite(t, { '/': {} }, { server: createPlugin(thrown), ledger: false })
      await t.rejects(started, { code: 'HYD_SERVER_THREW', message: shown }, `${way} ${shown}`)
    }
  })
}

t.test('an Error of server.ts is passed on unchanged', async (t) => {
  async function server() {
    throw new TypeError('no database')
  }
  await t.rejects(testSite(t, { '/': {} }, { server, ledger: false }), { name: 'TypeError', message: 'no database' })
})

t.test('errors of Fastify about the plugin name the file', async (t) => {
  async function server(app: FastifyInstance) {
    app.get('/plugins', async () => app.printPlugins())
    await app.register(async () => {})
  }
  const { app } = await testSite(t, { '/': {} }, { server, ledger: false })
  t.match((await app.inject('/plugins')).body, /server\.ts \d+ ms/)
})
