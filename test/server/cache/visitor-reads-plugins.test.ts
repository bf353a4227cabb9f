import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { createRecordings, type Load, type Recorded, SECRET, type Visit } from './recorded.ts'

/** Runs each load, and checks that it notes its property. Returns the values. */
async function checkReads(t: Test, add: (app: FastifyInstance) => unknown, loads: Record<string, Load>) {
  const { app, record } = await createRecordings(add)
  t.teardown(() => app.close())
  const values: Record<string, unknown> = {}
  for (const [property, load] of Object.entries(loads)) {
    const { value, read, thrown, statusCode } = await record(load)
    t.equal(thrown, undefined, property)
    t.equal(read, property)
    t.equal(statusCode, 200)
    values[property] = await value
  }
  const unread = await record(({ request, reply }) => reply.header('x-one', '1').request === request)
  t.strictSame([unread.value, unread.read], [true, null])
  return values
}

/** Calls a function that a plugin has added. */
function call(object: Record<string, unknown>, name: string, ...values: unknown[]): unknown {
  const method = object[name]
  return typeof method === 'function' ? Reflect.apply(method, object, values) : method
}

t.test('@fastify/helmet: the nonces belong to one response', async (t) => {
  const values = await checkReads(t, (app) => app.register(helmet, { enableCSPNonces: true }), {
    'reply.cspNonce': ({ reply }) => reply.cspNonce,
    'reply.helmet': ({ reply }) => call(reply, 'helmet'),
  })
  t.match(values['reply.cspNonce'], { script: String, style: String })
})

t.test('@fastify/rate-limit: a limit that a load checks itself is a read', async (t) => {
  await checkReads(t, (app) => app.register(rateLimit, { max: 1_000 }), {
    'request.ip': async ({ request }) => {
      const check = request.server.createRateLimit() as (request: FastifyRequest) => Promise<unknown>
      t.match(await check(request), { isAllowed: false, isExceeded: false })
    },
    'reply.getHeader': ({ reply }) => t.ok(Number(reply.getHeader('x-ratelimit-remaining')) > 0),
  })
})

t.test('@fastify/multipart and @fastify/formbody', async (t) => {
  const add = async (app: FastifyInstance) => {
    await app.register(multipart)
    await app.register(formbody)
  }
  const values = await checkReads(t, add, {
    'request.isMultipart': ({ request }) => request.isMultipart(),
    'request.file': async ({ request }) =>
      t.rejects(Promise.resolve(call(request, 'file')), { message: 'the request is not multipart' }),
    'request.body': ({ request }) => request.body,
  })
  t.strictSame(values['request.isMultipart'], false)
})

/** Decorates like @fastify/cookie. */
function addCookies(app: FastifyInstance) {
  app.decorateRequest('cookies', null)
  app.decorateRequest('unsignCookie', (value: string) => ({ valid: true, value }))
  app.decorateReply('setCookie', function setCookie(this: FastifyReply, name: string, value: string) {
    return this.header('set-cookie', `${name}=${value}`)
  })
  app.addHook('onRequest', async (request) => {
    const [name = '', value] = (request.headers.cookie ?? '').split('=')
    Object.assign(request, { cookies: { [name]: value } })
  })
}

t.test('cookies', async (t) => {
  const { app, record } = await createRecordings(addCookies)
  t.teardown(() => app.close())
  t.match(await record(({ request }) => request.cookies), { read: 'request.cookies', value: { session: SECRET } })
  const unsigned = await record(({ request }) => call(request, 'unsignCookie', 'a'))
  t.match(unsigned, { read: 'request.unsignCookie', value: { value: 'a' } })
  const set = await record(({ reply, request }) => {
    const chained = call(reply, 'setCookie', 'a', 'b') as Visit['reply']
    return [chained === reply, chained.request === request]
  })
  t.match(set, { read: 'reply.setCookie', value: [true, true], headers: { 'set-cookie': 'a=b' } })
})

/** Keeps its data where a proxy has none. */
class Session {
  readonly #request: FastifyRequest
  #user = SECRET
  constructor(request: FastifyRequest) {
    this.#request = request
  }
  get user(): string {
    return this.#user
  }
  set user(user: string) {
    this.#user = user
  }
  get(name: string): unknown {
    return name === 'agent' ? this.#request.headers['user-agent'] : this.#user
  }
}

const sessions = new WeakMap<FastifyRequest, Session>()

/** Decorates like @fastify/session and @fastify/secure-session. */
function addSessions(app: FastifyInstance) {
  app.decorateRequest('session', null as unknown as object)
  app.decorateRequest('lazySession', {
    getter() {
      return sessions.get(this)
    },
    setter(value: Session | undefined) {
      if (value) sessions.set(this, value)
    },
  })
  app.decorateRequest('destroySession', function destroySession(this: FastifyRequest) {
    return sessions.delete(this)
  })
  app.addHook('onRequest', async (request) => {
    sessions.set(request, new Session(request))
    Object.assign(request, { session: sessions.get(request) })
  })
}

t.test('sessions with private fields, in a property, a getter and a setter', async (t) => {
  const { app, record } = await createRecordings(addSessions)
  t.teardown(() => app.close())
  const sessionOf = ({ request }: Visit) => request.session as Session
  const user = await record((ctx) => [sessionOf(ctx).user, sessionOf(ctx).get('agent')])
  t.match(user, { read: 'request.session', value: [SECRET, `Agent/${SECRET}`] })
  const lazy = await record(({ request }) => (request.lazySession as Session).user)
  t.match(lazy, { read: 'request.lazySession', value: SECRET })
  const written = await record((ctx, original) => {
    sessionOf(ctx).user = 'other'
    return sessionOf(original).user
  })
  t.equal(written.value, 'other')
  const replaced = await record(({ request }, original) => {
    request.lazySession = new Session(original.request)
    return original.request.lazySession !== original.request.session
  })
  t.match(replaced, { read: 'request.lazySession', value: true, thrown: undefined })
  t.match(await record(({ request }) => call(request, 'destroySession')), { value: true })
})

/** Decorates like @fastify/jwt, @fastify/accepts and a plugin for languages. */
function addUsers(app: FastifyInstance) {
  const users = new WeakMap<FastifyRequest, unknown>()
  app.decorateRequest('user', null as unknown as object)
  app.decorateRequest('language', '')
  app.decorateRequest('jwtVerify', async function jwtVerify(this: FastifyRequest) {
    users.set(this, this.headers['user-agent'])
    Object.assign(this, { user: { name: users.get(this) } })
    return users.get(this)
  })
  app.decorateReply('greet', function greet(this: FastifyReply) {
    return this.request.headers.cookie
  })
  app.addHook('preHandler', async (request) => Object.assign(request, { language: 'de', added: { by: SECRET } }))
}

t.test('functions, references and strings', async (t) => {
  const agent = `Agent/${SECRET}`
  const values = await checkReads(t, addUsers, {
    'request.jwtVerify': async ({ request }) => [await call(request, 'jwtVerify'), request.user],
    'request.user': ({ request }) => request.user,
    'request.language': ({ request: { language } }) => language,
    'request.added': ({ request }) => request.added,
    'request.getDecorator': ({ request }) => request.getDecorator('language'),
    'reply.greet': ({ reply }) => call(reply, 'greet'),
    'reply.getDecorator': ({ reply }) => (reply.getDecorator('greet') as () => unknown)(),
  })
  t.strictSame(values, {
    'request.jwtVerify': [agent, { name: agent }],
    'request.user': null,
    'request.language': 'de',
    'request.added': { by: SECRET },
    'request.getDecorator': 'de',
    'reply.greet': `session=${SECRET}`,
    'reply.getDecorator': `session=${SECRET}`,
  })
})

t.test('a function of a plugin that gets the recorder as an argument', async (t) => {
  const { app, record } = await createRecordings(async (app) => {
    app.decorate('userOf', ({ headers }: FastifyRequest) => headers.cookie)
    addSessions(app)
  })
  t.teardown(() => app.close())
  const passed = await record(({ request }) => call(request.server as unknown as Visit['request'], 'userOf', request))
  t.match(passed, { read: 'request.headers.cookie', value: `session=${SECRET}` })
  const kept = await record(({ request }) => sessions.get(request) ?? null)
  t.match(kept, { read: null, value: null } satisfies Partial<Recorded>)
})
