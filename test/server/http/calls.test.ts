import { channel, hasSubscribers } from 'node:diagnostics_channel'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { perRequest } from '../../../src/server/context/per-request.ts'
import { findRunning, watchCalls } from '../../../src/server/http/calls.ts'
import type { RunningStep } from '../../../src/server/http/event-loop.ts'
import { nestSteps, type RequestTimes, timesOf } from '../../../src/server/http/request-times.ts'
import { timeStep } from '../../../src/server/http/timed-steps.ts'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'

const HTML = { accept: 'text/html' }
const later = () => new Promise((done) => setImmediate(done))
const newTimes = () => timesOf({} as FastifyRequest)

/** Starts a server that sends `hello`. Returns its origin. */
async function startOrigin(t: Pick<Test, 'teardown'>): Promise<string> {
  const server = http.createServer((_, response) => setImmediate(() => response.end('hello')))
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Sends a request with `node:http`, and reads the response. */
function get(url: string, options: http.RequestOptions = {}): Promise<void> {
  return new Promise((done, fail) => {
    http.get(url, options, (response) => response.resume().on('end', done)).on('error', fail)
  })
}

const read = async (url: string) => await (await fetch(url)).text()

/** Returns the steps, each with a space for each step that it is in. */
function namesOf({ steps }: RequestTimes): string[] {
  return nestSteps(steps).map(({ step, depth }) => `${' '.repeat(depth)}${step.kind} ${step.subject}`)
}

const hasEnded = ({ steps }: RequestTimes) => steps.every(({ durationMs }) => durationMs >= 0)

t.test('the calls of a load are steps inside it, also after an await', async (t) => {
  const origin = await startOrigin(t)
  t.teardown(watchCalls())
  async function load(url: string) {
    await later()
    await read(`${url}/orders/7?token=secret`)
    await get(`${url.replace('//', '//user:password@')}/orders/7?token=secret`)
  }
  const run = async () => {
    const times = newTimes()
    await Promise.all(
      ['pages/layout.server.ts', 'pages/a.server.ts'].map((file) => timeStep('load', file, times, () => load(origin))),
    )
    return times
  }
  const times = await run()
  const calls = [` call GET ${origin}`, ` call GET ${origin}`]
  t.strictSame(namesOf(times), ['load pages/layout.server.ts', ...calls, 'load pages/a.server.ts', ...calls])
  t.ok(hasEnded(times))
})

t.test('calls are no steps once nobody asks for them', async (t) => {
  const origin = await startOrigin(t)
  const run = async () => {
    const times = newTimes()
    await timeStep('action', 'pages/a.server.ts', times, () => fetch(origin, { method: 'POST', body: 'a' }))
    return namesOf(times)
  }
  const stop = watchCalls()
  t.strictSame(await run(), ['action pages/a.server.ts', ` call POST ${origin}`])
  stop()
  t.strictSame(await run(), ['action pages/a.server.ts'])
})

t.test('a call ends with the response, without its body, or with an error', async (t) => {
  const origin = await startOrigin(t)
  const closed = 'http://127.0.0.1:9'
  t.teardown(watchCalls())
  const works: Record<string, () => Promise<unknown>> = {
    'a body that nobody reads': () => fetch(origin),
    'a refused connection': () => fetch('http://127.0.0.1:2').catch(later),
    'a refused connection of node:http': () => get(closed).catch(later),
    'an abort': () => {
      const controller = new AbortController()
      const aborted = fetch(origin, { signal: controller.signal }).catch(later)
      setImmediate(() => controller.abort())
      return aborted
    },
  }
  const failing = await findFailing(
    Object.entries(works),
    async ([, work]) => {
      const times = newTimes()
      await timeStep('load', 'pages/a.server.ts', times, async () => {
        await work()
        await later()
      })
      return times.steps.length === 2 && hasEnded(times)
    },
    () => true,
  )
  t.strictSame(failing, [])
})

t.test('a call that ends after its request is passed on once', async (t) => {
  const origin = await startOrigin(t)
  t.teardown(watchCalls())
  const times = newTimes()
  const late: string[] = []
  let body: Promise<unknown> = Promise.resolve()
  timeStep('load', 'pages/a.server.ts', times, () => {
    body = read(origin)
  })
  times.onLate = ({ kind }) => late.push(kind)
  await body
  t.strictSame(late, ['call'])
})

t.test('a process has few names of calls, and a request few steps', async (t) => {
  const origin = await startOrigin(t)
  t.teardown(watchCalls())
  const times = newTimes()
  await timeStep('load', 'pages/a.server.ts', times, async () => {
    for (let index = 0; index < 60; index++) await get(origin, { headers: { host: `tenant-${index}.example` } })
  })
  t.equal(new Set(times.steps.map(({ subject }) => subject)).size, 52)
  t.match(times.steps[1], { subject: 'GET http://tenant-0.example' })
  t.match(times.steps.at(-1), { subject: 'other servers' })
  const many = newTimes()
  timeStep('load', 'pages/a.server.ts', many, () => {
    for (let index = 0; index < 2_000; index++)
      channel('undici:request:create').publish({ request: { method: 'GET', origin: 'http://a.example' } })
  })
  t.equal(many.steps.length, 1_000)
})

t.test('a function that makes no calls for a while is not traced until there is one', async (t) => {
  const origin = await startOrigin(t)
  t.teardown(watchCalls())
  const run = async (work: () => Promise<unknown>) => {
    const times = newTimes()
    await timeStep('load', 'pages/rarely.server.ts', times, work)
    return namesOf(times).length
  }
  const call = () => later().then(() => read(origin))
  t.equal(await run(call), 2)
  for (let index = 0; index < 100; index++) await run(later)
  // All steps are traced for a while.
  await new Promise((done) => setTimeout(done, 150))
  t.strictSame([await run(call), await run(call)], [1, 2], 'a call shows that one of the functions makes some')
})

t.test('a function that only waits while others send requests is traced no more', async (t) => {
  const origin = await startOrigin(t)
  t.teardown(watchCalls())
  async function isTraced(wait: () => Promise<unknown> = later) {
    let running: RunningStep | null = null
    await timeStep('load', 'pages/waits.server.ts', newTimes(), async () => {
      await wait()
      running = findRunning()
    })
    return running !== null
  }
  async function isTracedAfterCall() {
    for (let index = 0; index < 100; index++) await isTraced()
    await new Promise((done) => setTimeout(done, 150))
    let end = (_: unknown) => {}
    const waiting = isTraced(() => new Promise((done) => (end = done)))
    end(await read(origin))
    await waiting
    return await isTraced()
  }
  t.equal(await isTracedAfterCall(), true, 'it may have made the call')
  for (let index = 0; index < 10; index++) await isTracedAfterCall()
  t.equal(await isTracedAfterCall(), false)
})

const callsIn = (headers: Record<string, unknown>) =>
  [...String(headers['server-timing']).matchAll(/(\w+);desc="([^"]+)"/g)]
    .map(([, name, description]) => `${name} ${description?.replace(/ \(.*/, '')}`)
    .filter((text) => !/^(route|cache|render|data) /.test(text))

t.test('the header has the calls of guards, loads and functions of perRequest after them', async (t) => {
  const origin = await startOrigin(t)
  async function findUser(_ctx: { request: FastifyRequest }) {
    await later()
    return await read(origin)
  }
  const user = perRequest(findUser)
  const cached = { cache: { maxAgeS: 60 }, load: () => later().then(() => read(origin)) }
  const { app } = await testSite(
    t,
    {
      '/layout': { load: () => later().then(() => read(origin)) },
      '/in/layout': { guard: () => read(origin).then(() => undefined) },
      '/in/page': { load: (ctx: { request: FastifyRequest }) => later().then(() => user(ctx)) },
      '/cached': cached,
    },
    { mode: 'development', serverTiming: true, server: (app) => app.addHook('onRequest', () => read(origin)) },
  )
  const call = `call GET ${origin}`
  const at = async (url: string) => callsIn((await app.inject({ url, headers: HTML })).headers)
  t.strictSame(await at('/in/page'), [
    ...['guard pages/in/layout.server.ts', call, 'load pages/layout.server.ts', call],
    ...['load pages/in/page.server.ts', 'perRequest findUser', call],
  ])
  t.strictSame(await at('/cached'), ['load pages/layout.server.ts', call, 'load pages/cached.server.ts', call])
})

t.test('nothing listens to the calls of a site that tells no times, nor after one that does is closed', async (t) => {
  const names = ['undici:request:create', 'undici:request:headers', 'undici:request:trailers', 'undici:request:error']
  const channels = [...names, 'http.client.request.start', 'http.client.response.finish']
  const listening = () => channels.filter((name) => hasSubscribers(name))
  const silent = await testSite(t, { '/a': {} })
  await silent.get('/a')
  t.strictSame(listening(), [])
  const { app } = await testSite(t, { '/a': {} }, { serverTiming: true })
  t.strictSame(listening(), channels)
  await app.close()
  t.strictSame(listening(), [])
})
