import { mock } from 'node:test'
import Fastify, { type LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { createRecentRequests } from '../../../src/server/failures/failures.ts'

const MIB = 1_048_576
const LIMIT = 3 * MIB

/** Creates an app whose requests are noted. `ageMs` makes all requests so far older. */
async function start() {
  let now = 0
  const recent = createRecentRequests(() => now)
  const app = Fastify({ bodyLimit: LIMIT })
  app.addContentTypeParser('application/octet-stream', (_request, body, done) => {
    body.resume().on('end', () => done(null, undefined))
  })
  recent.watch(app)
  app.route({ method: ['GET', 'POST'], url: '/', handler: async () => 'done' })
  const send = (payload: object) => app.inject({ method: 'POST', url: '/', payload })
  /** Sends a body, of which only the length counts. */
  const fill = (headers: Record<string, string>, length = 0): Promise<LightMyRequestResponse> =>
    app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/octet-stream', ...headers },
      payload: Buffer.alloc(length),
    })
  return {
    app,
    send,
    fill,
    age(ms: number) {
      now += ms
    },
    isHidden: (value: string) => recent.redaction().inMessage(`no ${value}`) === 'no [hidden]',
  }
}

t.test('values of all requests of the last minute are hidden, and of no earlier one', async (t) => {
  const { send, age, isHidden } = await start()
  t.notOk(isHidden('first@example.org'))
  await send({ email: 'first@example.org' })
  age(59_000)
  await send({ email: 'second@example.org' })
  t.ok(isHidden('first@example.org'))
  t.ok(isHidden('second@example.org'))
  age(2_000)
  t.notOk(isHidden('first@example.org'))
  t.ok(isHidden('second@example.org'))
})

t.test('a server that gets no further request forgets them too', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { send, age, isHidden } = await start()
  await send({ email: 'first@example.org' })
  age(60_000)
  mock.timers.tick(60_000)
  age(-60_000)
  t.notOk(isHidden('first@example.org'), 'before a question for it could forget it')
})

t.test('the oldest requests are forgotten when the bodies are larger than 4 MiB together', async (t) => {
  for (const [name, size, headers] of [
    ['a body', 3 * MIB, {}],
    // Its length is unknown, so it counts as long as the limit.
    ['a body in chunks', 1, { 'transfer-encoding': 'chunked' }],
  ] as const) {
    const { send, fill, isHidden } = await start()
    await send({ email: 'first@example.org' })
    t.equal((await fill(headers, size)).statusCode, 200)
    t.ok(isHidden('first@example.org'), name)
    t.equal((await fill(headers, size)).statusCode, 200)
    t.notOk(isHidden('first@example.org'), `${name}, twice`)
  }
})

t.test('many small requests are forgotten too', async (t) => {
  const { send, isHidden } = await start()
  await send({ email: 'first@example.org' })
  for (let count = 0; count < 1_024; count++) await send({})
  t.notOk(isHidden('first@example.org'))
})

t.test('requests that read something take no place', async (t) => {
  const { app, send, isHidden } = await start()
  await send({ email: 'first@example.org' })
  for (let count = 0; count < 1_024; count++) await app.inject('/')
  t.ok(isHidden('first@example.org'))
})
