// What of a browser's failures reaches the ledger.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import { createFailureStore } from '../../src/server/ledger/failure-store.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { mountSite } from '../../src/server/site/mount-site.ts'
import { REPORT_PATH } from '../../src/shared/wire/report-format.ts'
import { launchChromium, type OpenPage } from '../browser/chromium.ts'
import { buildApp } from '../build-app.ts'
import { builtFiles, createLog } from '../server/served.ts'
import { until } from '../until.ts'

const dir = await buildApp(t, 'failures')
const chromium = await launchChromium(t)

let count = 0

async function start(t: Test, given: Record<string, unknown> = {}) {
  const log = createLog()
  const app = Fastify({ logger: log.logger, forceCloseConnections: true })
  const options = resolveOptions({ given: { ...given, ledger: `errors-${++count}.db` }, scope: 'site' })
  const store = createFailureStore(dir, options, app.log)
  const records: FailureRecord[] = []
  store.subscribe((record) => void records.push(record))
  app.addHook('onClose', store.close)
  await app.register(async (scope) => {
    await mountSite(scope, builtFiles(dir), options, { store })
  })
  const requests: string[] = []
  app.addHook('onRequest', async ({ url }) => void requests.push(url))
  /** What pages sent. */
  const bodies: string[] = []
  app.addHook('preHandler', async ({ body }) => void (body === undefined || bodies.push(JSON.stringify(body))))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  return { origin, store, records, log, requests, bodies }
}

t.test('what the browser could render all the same is marked so, without a line of its own', async (t) => {
  const { origin, store, records } = await start(t)
  const open = await chromium.open()
  await open.goto(`${origin}/once`, 'commit')
  await open.shown('#part')
  const [record] = records
  await until(async () => {
    const [summary] = await store.ledger.list({})
    const details = summary && (await store.ledger.read(summary.fingerprint))
    return details?.occurrences[0]?.isRecovered === true
  })
  t.equal(records.length, 1)
  t.match(record, { side: 'server', message: 'fails on the server' })
  t.equal((await store.ledger.list({})).length, 1)
})

t.test('what the server has told of is not told again by the browser', async (t) => {
  const { origin, store, records } = await start(t)
  const open = await chromium.open()
  for (const path of ['/twice', '/promised']) {
    await open.goto(origin + path, 'commit')
    await open.shown('[role=alert]')
    t.match(await open.read('[role=alert]'), 'Digest: ')
  }
  // What had been told before this is there as well.
  await open.goto(`${origin}/repeated`, 'commit')
  await open.hydrated()
  await open.click('#break')
  await until(() => records.some(({ side }) => side === 'client'))
  t.same(
    records.map(({ side, message }) => [side, message]),
    [
      ['server', 'fails on the server'],
      ['server', 'broken promise'],
      ['client', 'repeated'],
    ],
  )
  const [told] = records.slice(-1)
  t.match(told, {
    phase: 'client',
    route: '/repeated',
    path: '/repeated',
    method: 'GET',
    host: '127.0.0.1',
    statusSent: null,
    isRecovered: false,
    userAgent: 'browser',
    release: builtFiles(dir).manifest.buildId,
    error: { type: 'Error', message: 'repeated' },
  })
  const [frame] = told?.error.stack ?? []
  t.match(frame, { file: 'pages/repeated.tsx', line: 8, function: 'onClick', isSite: true })
  t.match(
    frame?.code?.lines[8 - (frame.code.firstLine ?? 0)],
    "throw new Error('repeated')",
    'with the source around it',
  )
  await store.writer.flush()
  t.equal((await store.ledger.list({ side: 'client' })).length, 1)
})

t.test('a page reports a failure once, and ten failures at most', async (t) => {
  const { origin, records } = await start(t, {})
  const open = await chromium.open()
  await open.goto(`${origin}/repeated?secret=1`, 'commit')
  await open.hydrated()
  for (let count = 0; count < 3; count++) await open.click('#break')
  for (let count = 0; count < 12; count++) await open.click('#other')
  await until(() => records.length >= 10)
  await open.goto(`${origin}/repeated`, 'commit')
  await open.hydrated()
  await open.click('#break')
  await until(() => records.length >= 11)
  const messages = records.map(({ message }) => message.replace(/\d.*/, ''))
  // Beacons may arrive in any order.
  t.same(messages.slice(0, 10).sort(), [...Array(9).fill('another '), 'repeated'])
  t.same(messages.slice(10), ['repeated'])
  t.same([...new Set(records.map(({ path }) => path))], ['/repeated'], 'without the query')
})

const WAYS: { path: string; button?: string }[] = [
  { path: '/repeated', button: '#break' },
  { path: '/browser', button: '#render' },
  { path: '/browser', button: '#rejection' },
  { path: '/frameless/mismatch' },
]

/** Opens pages that fail in the browser, and returns the number of errors in the console of each. */
async function failInAllWays(open: OpenPage, origin: string): Promise<number[]> {
  const counts: number[] = []
  for (const { path, button } of WAYS) {
    await open.goto(origin + path, 'commit')
    await open.hydrated()
    if (button) await open.click(button)
    await until(() => open.errors.length > 0)
    // A report would be loaded and sent before the second response.
    for (let count = 0; count < 2; count++) await open.evaluate(() => fetch('/gone').then(() => null), null)
    counts.push(open.errors.length)
  }
  return counts
}

t.test('where reports are off nothing is loaded and nothing is sent', async (t) => {
  const { origin, requests } = await start(t, { reports: { enabled: false } })
  const open = await chromium.open()
  t.strictSame(
    await failInAllWays(open, origin),
    WAYS.map(() => 1),
    'the console has each failure',
  )
  const { folder, manifest } = builtFiles(dir)
  const scripts = manifest.clientFiles.filter((name) =>
    readFileSync(join(folder, 'client', name), 'utf8').includes(REPORT_PATH),
  )
  t.equal(scripts.length, 1, 'a script of its own sends reports')
  t.strictSame(
    requests.filter((url) => [REPORT_PATH, ...scripts].some((end) => url.endsWith(end))),
    [],
  )
})

t.test('a visitor who asks not to be followed tells nothing, where that is heeded', async (t) => {
  const { origin, requests, records } = await start(t, { reports: { respectPrivacySignals: true } })
  const open = await chromium.open()
  await open.page.setExtraHTTPHeaders({ 'Sec-GPC': '1' })
  await failInAllWays(open, origin)
  await open.page.setExtraHTTPHeaders({})
  const response = await open.goto(`${origin}/repeated`, 'commit')
  t.match(response.headers().vary, /DNT, Sec-GPC/)
  await open.hydrated()
  t.equal(requests.filter((url) => url.endsWith('/report')).length, 0)
  await open.click('#break')
  await until(() => records.length === 1)
})

t.test('the query of a page is not sent as the place of its inline scripts', async (t) => {
  const { origin, records, bodies } = await start(t, { csp: false })
  const open = await chromium.open()
  await open.goto(`${origin}/inline?q=SECRET#SECRET`, 'commit')
  await open.hydrated()
  await open.click('#break')
  await until(() => records.length >= 2)
  t.same(records.map(({ message }) => message).sort(), ['inline', 'inline text'])
  t.equal(bodies.length, records.length)
  for (const body of bodies) t.match(body, /127\.0\.0\.1:\d+\/inline:\d+:\d+/, 'the place is the path')
  t.notMatch(JSON.stringify([bodies, records]), /SECRET/)
})

t.test('without beacons it is sent by fetch, and nobody hears of what cannot be sent', async (t) => {
  const { origin, records } = await start(t)
  const ways: [string, string, number][] = [
    ['a browser without beacons', 'navigator.sendBeacon = undefined', 1],
    ['a browser that refuses them', 'navigator.sendBeacon = () => false', 2],
    [
      'a browser that can send nothing',
      "navigator.sendBeacon = () => false; fetch = () => Promise.reject(new Error('no network'))",
      2,
    ],
  ]
  for (const [name, script, count] of ways) {
    const open = await chromium.open()
    await open.page.addInitScript(script)
    await open.goto(`${origin}/repeated`, 'commit')
    await open.hydrated()
    await open.click('#break')
    await until(() => records.length === count && open.errors.length > 0)
    // A rejection that nobody handles is reported before the next task.
    await open.evaluate(() => new Promise((done) => setTimeout(done)), null)
    t.equal(open.errors.length, 1, `${name}: the console has the failure itself, and no other`)
  }
})

t.test('what is not the site’s is not told', async (t) => {
  const { origin, records } = await start(t)
  const open = await chromium.open()
  await open.goto(`${origin}/repeated`, 'commit')
  await open.hydrated()
  await open.evaluate(() => {
    const tell = (message: string, error?: unknown) => dispatchEvent(new ErrorEvent('error', { message, error }))
    const withStack = (stack: string) => Object.assign(new Error('of an extension'), { stack })
    tell('Script error.')
    tell('ResizeObserver loop completed with undelivered notifications.')
    tell(
      'x',
      withStack(
        'Error: x\n    at f (chrome-extension://abcdef/content.js:1:2)\n    at chrome-extension://abcdef/content.js:3:4',
      ),
    )
    tell('x', withStack('f@moz-extension://abcdef/content.js:1:2\n'))
    tell('x', withStack('f@webkit-masked-url://hidden/:1:2\n'))
    tell(
      'x',
      withStack(
        `Error: x\n    at f (chrome-extension://abcdef/content.js:1:2)\n    at g (${location.origin}/a.js:3:4)`,
      ),
    )
  }, null)
  await open.click('#break')
  await until(() => records.length > 1 && records.some(({ message }) => message === 'repeated'))
  // Two beacons may arrive in either order.
  t.same(
    records.map(({ message }) => message).sort(),
    ['of an extension', 'repeated'],
    'but for one that goes through the site',
  )
})

t.test('a script that goes somewhere hears of a visitor who ends elsewhere, and nobody is told', async (t) => {
  const { origin, records } = await start(t)
  const open = await chromium.open()
  const rejected: string[] = []
  await open.page.exposeFunction('note', (text: string) => void rejected.push(text))
  await open.goto(`${origin}/once`, 'load')
  await open.hydrated()
  await open.evaluate(() => {
    const { note } = window as unknown as { note(text: string): void }
    addEventListener('unhandledrejection', ({ reason }) => note(String(reason.message)))
    navigation.navigate('/gone')
  }, null)
  await open.shown('#break')
  await open.evaluate(() => {
    navigation.addEventListener('navigate', (event) => {
      if (event.destination.url.endsWith('#own'))
        event.intercept({ handler: () => Promise.reject(new Error('own way')) })
    })
    void fetch('/never', { signal: AbortSignal.abort() })
    void (async () => await navigation.navigate('#own').finished)()
  }, null)
  await until(() => records.length >= 3)
  await open.click('#break')
  await until(() => records.some(({ message }) => message === 'repeated'))
  t.match(rejected[0], /abort/i, 'the browser has told the page of the one that has ended')
  // Two beacons may arrive in either order.
  t.match(records.map(({ side, message }) => `${side}: ${message}`).sort(), [
    'client: own way',
    'client: repeated',
    /client: signal is aborted/,
    'server: fails on the server',
  ])
})
