import { AsyncLocalStorage } from 'node:async_hooks'
import Fastify, { type FastifyRequest } from 'fastify'
import t from 'tap'
import { findTimes } from '../../../src/server/http/request-times.ts'
import { hydrant, perRequest } from '../../../src/server/index.ts'
import { testSite } from '../../test-site.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

interface Asked {
  request: FastifyRequest
}

// The function reads nothing of a request.
const requests = [{}, {}].map((request) => ({ request: request as FastifyRequest }))
const [first, second] = requests as [Asked, Asked]

t.test('runs once for each request and the same arguments', async (t) => {
  const calls: unknown[][] = []
  const read = perRequest((ctx: Asked, ...others: unknown[]) => {
    calls.push([requests.findIndex(({ request }) => request === ctx.request), ...others])
    return { others }
  })
  const key = {}
  for (const args of [[], [1], ['1'], [Number.NaN], [key], [{}], [1, 2], [undefined], [null]]) {
    const before = calls.length
    t.equal(read(first, ...args), read({ ...first }, ...args), 'only the request of the context counts')
    t.equal(calls.length, before + 1)
    t.not(read(first, ...args), read(second, ...args))
  }
})

t.test('shares a rejected promise and a thrown error', async (t) => {
  let count = 0
  const rejects = perRequest(async (_ctx: Asked) => {
    count++
    throw new Error('no')
  })
  const throws = perRequest((_ctx: Asked) => {
    count++
    throw new Error('no')
  })
  const ctx = first
  t.equal(rejects(ctx), rejects(ctx))
  await t.rejects(rejects(ctx), { message: 'no' })
  const errors = [1, 2].map(() => {
    try {
      throws(ctx)
      return null
    } catch (error) {
      return error
    }
  })
  t.ok(errors[0])
  t.equal(errors[0], errors[1])
  t.equal(count, 2)
})

t.test('two functions have results of their own', async (t) => {
  const one = perRequest((_ctx: Asked) => 1)
  const two = perRequest((_ctx: Asked) => 2)
  t.strictSame([one(first), two(first)], [1, 2])
})

t.test('refuses a call without a request', async (t) => {
  const read = perRequest((_ctx: Asked) => 1)
  for (const ctx of [undefined, null, {}, { request: undefined }, 'x'])
    t.throws(() => read(ctx as never), { code: 'HYD_PER_REQUEST' })
})

const user = `import { perRequest } from 'hydrant'
export const currentUser = perRequest(async ({ request }) => ({ name: request.headers.user, count: ++globalThis.hydrantUsers }))
`
const USES = {
  'user.ts': user,
  'server.ts': `import { currentUser } from './user.ts'
export default async (app) => {
  app.addHook('onRequest', async (request) => void (await currentUser({ request })))
}
`,
  'pages/index.tsx': 'export default ({ data }) => <p>{data.name}</p>\n',
  'pages/index.server.ts': `import { currentUser } from '../user.ts'
export const guard = async (ctx) => ({ user: await currentUser(ctx) })
export const load = async (ctx) => ({ ...(await currentUser(ctx)), isSame: ctx.context.user === (await currentUser(ctx)) })
export const action = async (ctx) => ({ ...(await currentUser(ctx)), isSame: ctx.context.user === (await currentUser(ctx)) })
`,
}
const folder = t.testdir({})
const [one, two] = [await buildFiles(`${folder}/one`, USES), await buildFiles(`${folder}/two`, USES)]
const counted = globalThis as { hydrantUsers?: number }

t.test('hooks, guards, loads and actions of a request share the result', async (t) => {
  const { app, get } = await serve(t, one)
  counted.hydrantUsers = 0
  const names = ['ada', 'bob', 'eve']
  const responses = await Promise.all(names.map((name) => get('/', { ...JSON_ONLY, user: name })))
  t.strictSame(
    responses.map((response) => response.json().name),
    names,
  )
  t.ok(responses.every((response) => response.json().isSame))
  t.equal(counted.hydrantUsers, 3)
  const acted = await app.inject({ method: 'POST', url: '/', headers: { ...JSON_ONLY, user: 'ada' } })
  t.match(acted.json(), { name: 'ada', isSame: true })
  t.equal(counted.hydrantUsers, 4)
})

t.test('two sites of an app have results of their own', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(hydrant, { dir: one, base: '/one', ledger: false })
  await app.register(hydrant, { dir: two, base: '/two', ledger: false })
  counted.hydrantUsers = 0
  for (const url of ['/one', '/two']) t.match((await app.inject({ url, headers: HTML })).body, '<p>')
  t.equal(counted.hydrantUsers, 2)
})

const QUERIES = {
  'pages/index.tsx': 'export default () => <p>page</p>\n',
  'pages/index.server.ts': `import { perRequest } from 'hydrant'
class Query extends Promise {
  static get [Symbol.species]() { return Promise }
  then(...handlers) { globalThis.hydrantRuns++; return super.then(...handlers) }
  values() { return 'values' }
}
const query = perRequest(() => new Query((resolve) => resolve(1)))
const cancelable = perRequest(() => Object.assign(Promise.resolve(2), { cancel: () => 'canceled' }))
const builder = perRequest(() => ({ then: (resolve) => { globalThis.hydrantRuns++; resolve(3) }, where: () => 'where' }))
const floats = perRequest(async () => { throw new Error('nobody awaits it') })
const inner = perRequest(async () => { await 0; throw new Error('inner') })
export async function load(ctx) {
  globalThis.hydrantRuns = 0
  const found = [query(ctx).values(), cancelable(ctx).cancel(), builder(ctx).where(), globalThis.hydrantRuns]
  if (ctx.url.search === '?floats') void floats(ctx)
  if (ctx.url.search === '?fails') await inner(ctx)
  return found
}
`,
}

t.test('what a function returns reaches its callers as it is, with and without the option instrument', async (t) => {
  const dir = await buildFiles(`${folder}/queries`, QUERIES)
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push((reason as Error).message)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  for (const instrument of [undefined, (_step: unknown, run: () => Promise<unknown>) => run()]) {
    const { get, log } = await serve(t, dir, instrument ? { instrument } : {})
    t.strictSame((await get('/', JSON_ONLY)).json(), ['values', 'canceled', 'where', 0])
    unhandled.length = 0
    await get('/?floats', JSON_ONLY)
    await new Promise(setImmediate)
    t.strictSame(unhandled, ['nobody awaits it'], 'a rejection that nobody awaits is told')
    t.equal((await get('/?fails', JSON_ONLY)).statusCode, 500)
    t.match(
      log.errors().at(-1),
      { err: { stack: /async load \(pages\/index\.server\.ts/ } },
      'the stack has the caller',
    )
  }
})

t.test(
  'the step of a function lasts until its promise settles, also with an AsyncLocalStorage of the site',
  async (t) => {
    const storage = new AsyncLocalStorage()
    t.teardown(() => storage.disable())
    const read = perRequest(async (_ctx: Asked) => 1)
    const { get } = await testSite(t, {
      '/': {
        load: (ctx: Asked) =>
          storage.run({}, async () => {
            const reading = read(ctx)
            const step = findTimes(ctx.request)?.steps.at(-1)
            const isOpen = Number.isNaN(step?.durationMs)
            await reading
            return { kind: step?.kind, isOpen, hasEnded: (step?.durationMs ?? -1) >= 0 }
          }),
      },
    })
    t.strictSame((await get('/', JSON_ONLY)).json(), { kind: 'perRequest', isOpen: true, hasEnded: true })
  },
)

const PLACES = {
  'pages/index.tsx': 'export default () => <p>page</p>\n',
  'user.ts': `import { perRequest } from 'hydrant'
Error.prepareStackTrace = (_error, frames) => frames.map((frame) => frame.getFileName())
export const user = perRequest(async () => 'ada')
`,
  'pages/index.server.ts': `import { user } from '../user.ts'

export async function load(ctx) {
  return await user(ctx)
}
`,
}

t.test('steps have their lines, also if the site has set Error.prepareStackTrace', async (t) => {
  const format = Error.prepareStackTrace
  t.teardown(() => {
    Error.prepareStackTrace = format
  })
  const dir = await buildFiles(`${folder}/places`, PLACES)
  const { get } = await serve(t, dir, { serverTiming: true })
  const { headers } = await get('/', HTML)
  t.not(Error.prepareStackTrace, format)
  t.match(headers['server-timing'], /load;desc="pages\/index\.server\.ts:3 /)
  t.match(headers['server-timing'], /perRequest;desc="user\.ts:3"/)
})
