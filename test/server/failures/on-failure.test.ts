import Fastify from 'fastify'
import t from 'tap'
import { createInstance } from '../../../src/server/create-server.ts'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import { createFailureStore, type FailureStore } from '../../../src/server/ledger/failure-store.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { hydrant } from '../../../src/server/plugin.ts'
import { testBuild, testSite, writeTestSite } from '../../test-site.ts'
import { buildFiles, createLog, fingerprintOfResponse, HTML, serve } from '../served.ts'

const site = {
  '/': {
    load() {
      throw new Error('oh')
    },
  },
}

/** An `onFailure`, and a promise of its first call. */
function createListener(answer: (failure: FailureRecord) => unknown = () => {}) {
  let arrive: (failure: FailureRecord) => void
  const arrived = new Promise<FailureRecord>((resolve) => {
    arrive = resolve
  })
  const onFailure = (failure: FailureRecord) => {
    arrive(failure)
    return answer(failure)
  }
  return { onFailure, arrived }
}

t.test('onFailure gets each failure as the log and the ledger have it', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'pages/index.server.ts': "export const load = () => {\n  throw new Error('oh')\n}\n",
  })
  const { onFailure, arrived } = createListener()
  const { get, failuresOf } = await serve(t, dir, { onFailure, release: 'v7' })
  const response = await get('/')
  const [line] = failuresOf(response)
  t.match(await arrived, {
    digest: line?.digest,
    fingerprint: fingerprintOfResponse(response),
    ...{ side: 'server', phase: 'load', route: '/', method: 'GET', path: '/', release: 'v7', statusSent: 500 },
    requestId: line?.reqId,
    error: {
      type: 'Error',
      message: 'oh',
      stack: [{ file: 'pages/index.server.ts', line: 2, column: 9, isSite: true }],
    },
  })
})

const FAULTS: readonly [string, () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('the service is gone')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('the service is gone')
    },
  ],
  [
    'rejects with a value whose properties throw',
    () =>
      Promise.reject(
        new Proxy(
          {},
          {
            get() {
              throw new Error('no')
            },
          },
        ),
      ),
  ],
]
for (const [what, answer] of FAULTS) {
  t.test(`an onFailure that ${what} is logged once and changes nothing`, async (t) => {
    const { onFailure } = createListener(answer)
    const { app, get, log, failuresOf } = await testSite(t, site, { onFailure })
    for (let times = 0; times < 3; times++) {
      const response = await get('/')
      t.equal(response.statusCode, 500)
      t.equal(failuresOf(response).length, 1)
    }
    await app.close()
    const warnings = log.lines.filter(({ msg }) => msg.startsWith('onFailure threw'))
    t.match(warnings, [{ level: 40, digest: log.errors()[0]?.digest }])
    t.equal(warnings.length, 1)
  })
}

t.test('the line of an onFailure that throws does not show secrets', async (t) => {
  const { onFailure } = createListener(() => {
    throw new Error('POST https://errors.example/report?token=qz7rkw2x failed')
  })
  const { app, get, log } = await testSite(t, site, { onFailure })
  await get('/')
  await app.close()
  const lines = log.lines.filter(({ msg }) => msg.startsWith('onFailure threw'))
  t.match(lines, [{ err: { type: 'Error', message: 'POST https://errors.example/report?token=[hidden] failed' } }])
  t.notMatch(JSON.stringify(lines), 'qz7rkw2x')
})

t.test('an onFailure that never ends blocks neither a request nor the shutdown', async (t) => {
  const { onFailure, arrived } = createListener(() => new Promise(() => {}))
  const { app, get } = await testSite(t, site, { onFailure })
  t.equal((await get('/')).statusCode, 500)
  await arrived
  await app.close()
})

t.test('a server that stops waits for onFailure', async (t) => {
  let isDone = false
  const { onFailure } = createListener(async () => {
    await new Promise(setImmediate)
    isDone = true
  })
  const { app, get } = await testSite(t, site, { onFailure })
  await get('/')
  await app.close()
  t.ok(isDone)
})

t.test('onFailure gets a copy of the failure', async (t) => {
  const seen: string[] = []
  const { onFailure } = createListener((failure) => {
    seen.push(failure.error.message)
    failure.error.message = 'changed'
  })
  const { app, get } = await testSite(t, site, { onFailure })
  await get('/')
  await get('/')
  await app.close()
  t.strictSame(seen, ['oh', 'oh'])
})

t.test('the onFailure of a closed instance gets no more failures of a shared ledger', async (t) => {
  const log = createLog()
  const told: string[] = []
  const options = resolveOptions({
    given: { ledger: false, onFailure: ({ digest }: FailureRecord) => told.push(digest) },
  })
  const dir = t.testdir({})
  const stores: FailureStore[] = []
  const create = () =>
    createInstance({
      ...{ dir, ...testBuild(site, { dir }), options, logging: { logger: log.logger } },
      getStore(appLog) {
        stores[0] ??= createFailureStore(dir, options, appLog)
        return stores[0]
      },
    })
  for (let times = 0; times < 2; times++) {
    const { app } = await create()
    await app.inject({ url: '/', headers: HTML })
    await app.close()
  }
  await stores[0]?.close()
  t.equal(told.length, 2)
  t.equal(new Set(told).size, 2)
})

t.test('the plugin adds no listeners to the process', async (t) => {
  const events = ['uncaughtException', 'unhandledRejection', 'SIGTERM']
  const count = () => events.map((event) => process.listenerCount(event))
  const before = count()
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(hydrant, { dir: writeTestSite(t.testdir({}), site) })
  await app.ready()
  t.strictSame(count(), before)
})

t.test('a value other than a function is refused', async (t) => {
  const wrong = { onFailure: 'https://alerts.example' as unknown as () => void }
  await t.rejects(testSite(t, site, wrong), { code: 'HYD_OPTION_INVALID', message: '"onFailure" must be a function' })
})
