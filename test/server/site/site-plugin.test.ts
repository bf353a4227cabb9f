import t from 'tap'
import { createServer } from '../../../src/server/create-server.ts'
import { buildFiles } from '../served.ts'

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

/** Ways in which a plugin can throw `globalThis.hydrantTestThrown` before its guard is registered. */
const WAYS: Record<string, string> = {
  'rejects with': 'async (app) => { await Promise.reject(globalThis.hydrantTestThrown); guard(app) }',
  throws: '(app, options, done) => { if (app) throw globalThis.hydrantTestThrown; guard(app); done() }',
}

for (const [way, plugin] of Object.entries(WAYS)) {
  t.test(`a site whose server.ts ${way} a value that is not an Error does not start without its guards`, async (t) => {
    t.teardown(() => Object.assign(globalThis, { hydrantTestThrown: undefined }))
    const dir = await buildFiles(t.testdir({}), {
      'server.ts': `const guard = (app: any) => app.addHook('onRequest', async () => { throw new Error('members only') })\nexport default ${plugin}\n`,
    })
    for (const [thrown, shown] of THROWN) {
      Object.assign(globalThis, { hydrantTestThrown: thrown })
      const started = createServer({ dir, ledger: false, logger: false })
      await t.rejects(started, { code: 'HYD_SERVER_THREW', message: shown }, `${way} ${shown}`)
    }
  })
}

t.test('an Error of server.ts is passed on unchanged', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'server.ts': "export default async () => { throw new TypeError('no database') }\n",
  })
  await t.rejects(createServer({ dir, ledger: false, logger: false }), { name: 'TypeError', message: 'no database' })
})

t.test('errors of Fastify about the plugin name the file', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'server.ts':
      "export default async (app) => {\n  app.get('/plugins', async () => app.printPlugins())\n  await app.register(async () => {})\n}\n",
  })
  const app = await createServer({ dir, ledger: false, logger: false })
  t.teardown(() => app.close())
  t.match((await app.inject('/plugins')).body, /server\.ts \d+ ms/)
})
