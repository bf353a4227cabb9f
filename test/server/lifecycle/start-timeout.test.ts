// The deadline for the start of a site, `timeouts.startMs`.

import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { createServer } from '../../../src/server/index.ts'
import { createSite } from '../../scripts/create-site.ts'
import { buildSharing } from '../../shared-compression.ts'
import { until } from '../../until.ts'

const SERVER = `export default async function server(app, { start = globalThis.start }) {
  app.addHook('onClose', async () => void globalThis.closed?.push(start))
  if (start === 'plugin') await app.register(async function database() { await globalThis.waitForever() })
  if (start === 'hook') app.addHook('onReady', async () => { await globalThis.waitForever() })
  if (start === 'error') throw new Error('no database')
  if (start === 'parts') for (const part of [1, 2]) await app.register(() => new Promise((resolve) => setTimeout(resolve, 150)))
  if (start === 'slow') await new Promise((resolve) => setTimeout(resolve, 60))
}
`

/** Calls `start`, and lets its deadline pass as soon as the site waits. */
async function exceed(t: Test, startMs: number, start: () => Promise<unknown>) {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const waits = new Promise<void>((resolve) => {
      Reflect.set(globalThis, 'waitForever', () => {
        resolve()
        return new Promise(() => {})
      })
    })
    const started = start()
    await Promise.race([waits, started])
    mock.timers.tick(startMs - 1)
    t.equal(await Promise.race([started, new Promise((resolve) => setImmediate(resolve, 'starts'))]), 'starts')
    mock.timers.tick(1)
    await started
  } finally {
    mock.timers.reset()
    Reflect.deleteProperty(globalThis, 'waitForever')
  }
}

t.test('a start that takes longer than "timeouts.startMs" fails with its own error', async (t) => {
  const dir = createSite(t, { 'server.ts': SERVER })
  await buildSharing({ dir })
  const closed: string[] = []
  Reflect.set(globalThis, 'closed', closed)
  t.teardown(() => ['start', 'closed'].map((name) => Reflect.deleteProperty(globalThis, name)))
  const start = async (how: string, startMs: number) => {
    Reflect.set(globalThis, 'start', how)
    const app = await createServer({ dir, logger: false, ledger: false, timeouts: { startMs } })
    t.teardown(() => app.close())
    return app
  }
  const expected = { code: 'HYD_START_TIMEOUT', fix: /"timeouts\.startMs"/ }
  await t.rejects(
    exceed(t, 3_000, () => start('plugin', 3_000)),
    {
      ...expected,
      message: /^the site did not start within 3000 ms: (?:.*'(?:database|server\.ts)'|its modules)/,
      cause: { code: 'FST_ERR_PLUGIN_TIMEOUT' },
    },
  )
  await t.rejects(
    exceed(t, 3_000, () => start('hook', 3_000)),
    {
      ...expected,
      message: /^the site did not start within 3000 ms: .*'onReady' hook/,
      cause: { code: 'FST_ERR_HOOK_TIMEOUT' },
    },
  )
  await t.rejects(start('parts', 200), expected, 'the plugins together')
  await t.rejects(start('error', 0), { message: 'no database', code: undefined })
  await until(() => closed.includes('error'))
  t.equal((await (await start('slow', 0)).inject('/')).statusCode, 200, 'with 0 there is no limit')
})

t.test('a module that is still being loaded at the deadline is not called a plugin', async (t) => {
  const dir = createSite(t, {
    'server.ts': 'await globalThis.waitForever()\nexport default async function server() {}\n',
  })
  await buildSharing({ dir })
  await t.rejects(
    exceed(t, 500, () => createServer({ dir, logger: false, ledger: false, timeouts: { startMs: 500 } })),
    {
      code: 'HYD_START_TIMEOUT',
      message: /^the site did not start within 500 ms: its modules were still being loaded\. A top-level await/,
      cause: { code: 'FST_ERR_PLUGIN_TIMEOUT' },
    },
  )
})
