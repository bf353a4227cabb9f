import { inspect } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import t from 'tap'
import { rolesOf, runProgram } from './load-programs.ts'
import { createRecordings, PATH, SECRET } from './recorded.ts'

const PROGRAMS = 400

/** A visitor with a session, and one without anything. Both ask for the same page, with the same key. */
const MEMBER: InjectOptions = {
  url: `${PATH}&user=${SECRET}`,
  headers: { host: 'Shop.example', cookie: `session=${SECRET}`, 'user-agent': `Agent/${SECRET}`, 'x-added': SECRET },
  remoteAddress: '192.0.2.77',
}
const STRANGER: InjectOptions = { url: PATH, headers: { host: 'shop.example', accept: '*/*' } }
/** The member, with nothing in the address that a recorder does not show. */
const PLAIN_MEMBER: InjectOptions = { ...MEMBER, url: PATH, headers: { ...MEMBER.headers, host: 'shop.example' } }

const userOf = ({ headers }: FastifyRequest) => (headers.cookie ? { name: SECRET } : null)

/** Adds what plugins add: strings, references, functions, getters and setters. */
function addPlugins(app: FastifyInstance) {
  const accounts = new WeakMap<FastifyRequest, unknown>()
  app.decorateRequest('user', null as unknown as object)
  app.decorateRequest('account', {
    getter() {
      return accounts.get(this) as object
    },
    setter(value: object) {
      accounts.set(this, value)
      if (this.headers.cookie) throw new Error(this.headers.cookie)
    },
  })
  app.decorateRequest('whoAmI', function whoAmI(this: FastifyRequest) {
    return accounts.get(this)
  })
  app.decorateReply('remember', function remember(this: FastifyReply) {
    return this.header('x-remember', String(this.request.headers.cookie))
  })
  app.addHook('onRequest', async (request, reply) => {
    const user = userOf(request)
    accounts.set(request, user)
    Object.assign(request, { user })
    if (user === null) return
    Object.assign(request, { session: { user }, cookies: { session: SECRET } })
    reply.header('x-added', SECRET)
  })
}

const { app, record } = await createRecordings(addPlugins, {
  genReqId: () => 'id-of-a-request',
  logger: { stream: { write() {} } },
  contextOf: (request) => (request.headers.cookie ? { user: userOf(request), value: SECRET } : {}),
})
t.teardown(() => app.close())

interface Outcome {
  trace: string[]
  values: unknown[]
  originals: unknown[]
}

/** Runs a program with recorders. */
async function runRecorded(seed: number, visitor: InjectOptions, mayBeLoose: boolean) {
  const { value, thrown, read } = await record(async (ctx, original): Promise<Outcome> => {
    const roles = new Map([...rolesOf(original), ...rolesOf(ctx)])
    const { request, reply, context } = original
    const originals = [
      request,
      reply,
      context,
      request.headers,
      request.raw,
      request.session,
      request.user,
      request.log,
    ]
    return { ...(await runProgram(seed, ctx, roles, mayBeLoose)), originals }
  }, visitor)
  if (thrown) throw thrown
  return { ...(value as Outcome), read }
}

async function runPlain(seed: number, visitor: InjectOptions) {
  const { value, thrown } = await record((_, ctx) => runProgram(seed, ctx, new Map(rolesOf(ctx)), false), visitor)
  if (thrown) throw thrown
  return (value as Outcome).trace
}

const show = (value: unknown) => inspect(value, { depth: 4, showHidden: true, customInspect: false })

t.test('no program shows the visitor without a noted read', async (t) => {
  let unreadCount = 0
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const member = await runRecorded(seed, MEMBER, true)
    const stranger = await runRecorded(seed, STRANGER, true)
    const program = { seed, member: member.trace, stranger: stranger.trace }
    if (member.read !== stranger.read) t.equal(member.read, stranger.read, 'the same read is noted', program)
    if (member.read !== null) continue
    unreadCount++
    const hasSecret = `${member.trace} ${member.values.filter((value) => value !== app).map(show)}`.includes(SECRET)
    const hasOriginal = member.values.some((value) => value && member.originals.includes(value))
    if (hasSecret || hasOriginal) t.fail('a value of the visitor', program)
    if (String(member.trace) !== String(stranger.trace)) t.strictSame(member.trace, stranger.trace, `seed ${seed}`)
  }
  t.ok(unreadCount > PROGRAMS / 10, 'there are programs without a read')
  t.ok(unreadCount < PROGRAMS / 1.2, 'there are programs with a read')
})

t.test('programs get the same results from recorders as from the originals', async (t) => {
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const { trace } = await runRecorded(seed, PLAIN_MEMBER, false)
    const plain = await runPlain(seed, PLAIN_MEMBER)
    if (String(trace) !== String(plain)) t.strictSame(trace, plain, `seed ${seed}`)
  }
})
