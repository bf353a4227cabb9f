import { AsyncLocalStorage } from 'node:async_hooks'
import { inspect, isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { digestOf, perRequest } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { createRecordings, type Load, SECRET } from './recorded.ts'

/** Loads that read the visitor, by the property that is noted. The value is compared with the one of the original. */
const READS: Record<string, Load> = {
  'request.headers.cookie': ({ request }) => request.headers.cookie,
  'request.headers.authorization': ({ request }) => request.headers.authorization,
  "request.headers['user-agent']": ({ request: { headers } }) => headers['user-agent'],
  "request.headers['accept-language']": ({ request }) => 'accept-language' in request.headers,
  "request.headers['x-missing']": ({ request }) => Object.hasOwn(request.headers, 'x-missing'),
  'request.ip': ({ request }) => request.ip,
  'request.ips': ({ request }) => request.ips,
  'request.socket': ({ request }) => request.socket,
  'request.raw': ({ request }) => request.raw,
  'request.body': ({ request }) => request.body,
  'request.cookies': ({ request }) => request.cookies,
  'request.session': ({ request }) => 'session' in request,
  'request.mediaType': ({ request }) => request.mediaType,
  'request.getDecorator': ({ request }) => typeof request.getDecorator,
  "request['no identifier']": ({ request }) => request['no identifier'],
  'request[Symbol(fastify.context)]': ({ request }, original) =>
    Reflect.get(request, Object.getOwnPropertySymbols(original.request)[0] ?? ''),
  'reply.getHeader': ({ reply }) => reply.getHeader('vary'),
  'reply.getHeaders': ({ reply }) => reply.getHeaders(),
  'reply.hasHeader': ({ reply }) => reply.hasHeader('vary'),
  'reply.raw': ({ reply }) => reply.raw,
  'reply.context': ({ reply }) => reply.context,
}
t.test('reading a property is noted, and returns what the original returns', async (t) => {
  const failing = await findFailing(
    Object.entries(READS),
    async ([property, load]) => {
      const isCopy = property.endsWith('ips') || property.endsWith('Headers')
      const { record } = await createRecordings()
      const { value, read, thrown } = await record((ctx, original, recorder) => {
        const before = recorder.firstRead
        const got = load(ctx, original, recorder)
        const { firstRead } = recorder
        void ctx.request.ip
        const own = load(original, original, recorder)
        return {
          before,
          isNoted: firstRead !== null,
          // A later read does not replace it.
          isKept: recorder.firstRead === firstRead,
          isSame: typeof got === 'object' && !isCopy ? got === own : isDeepStrictEqual(got, own),
        }
      })
      return { value, read, thrown }
    },
    ([read]) => ({ value: { before: null, isNoted: true, isKept: true, isSame: true }, read, thrown: undefined }),
  )
  t.strictSame(failing, [])
})

const WHOLE: Record<string, (object: object) => unknown> = {
  'Object.keys': (object) => Object.keys(object),
  spread: (object) => ({ ...object }),
  'for … in': (object) => {
    const names = []
    for (const name in object) names.push(name)
    return names
  },
  'Object.assign': (object) => Object.assign({}, object),
  'Object.getOwnPropertyDescriptors': (object) => Object.keys(Object.getOwnPropertyDescriptors(object)),
  'util.inspect': (object) => inspect(object),
  'util.inspect with a proxy shown': (object) => inspect(object, { showProxy: true, showHidden: true, depth: 4 }),
  'util.inspect of an object around it': (object) => inspect({ object }),
}
for (const [name, readAll] of Object.entries(WHOLE)) {
  t.test(`${name} reads the whole object`, async (t) => {
    const { record } = await createRecordings(undefined, { contextOf: () => ({ user: SECRET }) })
    const load = (part: (ctx: Parameters<Load>[0]) => object) => record((ctx) => void readAll(part(ctx)))
    t.equal((await load(({ request }) => request)).read, 'request')
    t.equal((await load(({ reply }) => reply)).read, 'reply')
    t.equal((await load(({ context }) => context)).read, 'context')
    t.equal((await load(({ request }) => request.headers)).read, 'request.headers')
    const { value } = await record(({ request }, original) => [
      readAll(request.headers),
      readAll(original.request.headers),
    ])
    const [recorded, own] = value as unknown[]
    if (!name.includes('shown')) t.strictSame(recorded, own)
  })
}

t.test('JSON.stringify and new Headers read all headers', async (t) => {
  const { record } = await createRecordings()
  const json = await record(({ request }) => JSON.stringify(request.headers))
  t.equal(json.read, 'request.headers')
  t.match(json.value, SECRET)
  const fetched = await record(({ request }) => new Headers(request.headers as Record<string, string>).get('cookie'))
  t.equal(fetched.read, 'request.headers')
  t.match(fetched.value, SECRET)
})

t.test('util.inspect without custom functions, and structuredClone, show nothing', async (t) => {
  const { record } = await createRecordings()
  const { value, read } = await record(({ request, reply, context }) =>
    [request, request.headers, reply, context, request.log].map((object) =>
      inspect(object, { customInspect: false, showHidden: true, getters: true }),
    ),
  )
  t.equal(read, null)
  t.notMatch(String(value), SECRET)
  const cloned = await record(({ request }) => structuredClone(request.headers))
  t.match(cloned.thrown, { name: 'DataCloneError' })
})

t.test('what JavaScript itself looks up is not a read', async (t) => {
  const { record } = await createRecordings()
  const { value, read } = await record(async ({ request, reply, context }) => {
    const awaited = await request
    const objects = [request, request.headers, context]
    return [
      awaited === request,
      request instanceof request.constructor,
      reply instanceof reply.constructor,
      ...objects.map(String),
      ...objects.map((object) => `${object}`),
      ...objects.map((object) => Object.prototype.toString.call(object)),
      Object.getPrototypeOf(request) === request.constructor.prototype,
      request.valueOf() === request,
      Array.isArray(request),
    ]
  })
  t.equal(read, null)
  t.strictSame(value, [true, true, true, ...Array(9).fill('[object Object]'), true, true, false])
})

t.test('methods of Object.prototype read the visitor through the recorder', async (t) => {
  const { record } = await createRecordings((app) => {
    app.decorateRequest('user', '')
  })
  const calls: Load[] = [
    ({ request }) => Object.hasOwn(request, 'user'),
    ({ request }) => Reflect.apply(request.hasOwnProperty, request, ['user']),
    ({ request }) => Reflect.apply(request.propertyIsEnumerable, request, ['user']),
    ({ request }) => Object.getOwnPropertyDescriptor(request, 'user')?.value,
    ({ request }) => Reflect.get(Object.getPrototypeOf(request), 'user', request) ?? request.user,
  ]
  for (const call of calls) t.equal((await record(call)).read, 'request.user', String(call))
})

t.test('a descriptor of a shared property has the shared value', async (t) => {
  const { record } = await createRecordings()
  const { value, read } = await record(({ request }) => [
    Object.getOwnPropertyDescriptor(request, 'query')?.value === request.query,
    Object.getOwnPropertyDescriptor(request, 'log')?.value === request.log,
    'query' in request,
  ])
  t.equal(read, null)
  t.strictSame(value, [true, true, true])
})

t.test('getters of the class, called with the recorder, are reads', async (t) => {
  const { record } = await createRecordings()
  for (const name of ['headers', 'ip', 'url', 'host']) {
    const { read, value } = await record(({ request }) => {
      // JavaScript's own way to find the getter in the classes of the request.
      const get = request.__lookupGetter__ as (name: string) => () => unknown
      return get.call(request, name).call(request)
    })
    t.match(read, /^request\.(ip|raw|additionalHeaders)$/, `${name}: ${value}`)
  }
})

t.test('the context is the visitor’s if the page has guards', async (t) => {
  const guarded = await createRecordings(undefined, { contextOf: () => ({ user: { name: SECRET } }) })
  const plain = await createRecordings()
  const loads: [Load, string][] = [
    [({ context }) => context.user, 'context.user'],
    [({ context }) => context.missing, 'context.missing'],
    [({ context }) => 'user' in context, 'context.user'],
    [({ context: { ...rest } }) => rest, 'context'],
  ]
  for (const [load, property] of loads) {
    t.equal((await guarded.record(load)).read, property)
    t.equal((await plain.record(load)).read, null)
  }
  t.strictSame((await guarded.record(({ context }) => context.user)).value, { name: SECRET })
})

t.test('a name that every object has is a read if the request has its own', async (t) => {
  const { record } = await createRecordings(
    (app) => {
      app.decorateRequest('toJSON', function toJSON(this: FastifyRequest) {
        return this.headers.cookie
      })
      app.addHook('onRequest', async (request) => Object.assign(request, { valueOf: () => SECRET }))
    },
    { contextOf: () => ({ constructor: SECRET, toString: () => SECRET }) },
  )
  const loads: [Load, string][] = [
    [({ request }) => JSON.stringify(request), 'request.toJSON'],
    [({ request }) => Number(request), 'request.valueOf'],
    [({ context }) => context.constructor, 'context.constructor'],
    [({ context }) => String(context), 'context.toString'],
    [({ request }) => request.headers.constructor, 'request.headers.constructor'],
  ]
  for (const [load, property] of loads)
    t.match(await record(load, { headers: { constructor: SECRET } }), { read: property, thrown: undefined })
})

t.test('the warning can name the line: the stack leads to the load, also through a plugin', async (t) => {
  const { record } = await createRecordings()
  function deepInAPlugin(depth: number, read: () => unknown): unknown {
    return depth === 0 ? read() : deepInAPlugin(depth - 1, read)
  }
  const { firstRead } = await record(async function loadOfTheSite({ request }) {
    await null
    return deepInAPlugin(30, () => request.headers.cookie)
  })
  const stack = firstRead?.error.stack ?? ''
  t.match(stack, /^Error: request\.headers\.cookie was read\n {4}at /)
  t.match(stack, /loadOfTheSite/)
})

t.test('reads after the load has returned are noted', async (t) => {
  const { record } = await createRecordings()
  let later: Promise<unknown> = Promise.resolve()
  const { read } = await record(({ request }, _, recorder) => {
    later = new Promise(setImmediate).then(() => {
      t.equal(recorder.firstRead, null)
      const cookie = request.headers.cookie
      const { firstRead } = recorder
      t.equal(firstRead?.property, 'request.headers.cookie')
      void request.ip
      t.equal(recorder.firstRead, firstRead, 'a later read does not replace it')
      return cookie
    })
    return 1
  })
  t.equal(read, null)
  t.match(await later, SECRET)
})

t.test('functions of Hydrant that get a request accept a recorder', async (t) => {
  const { record } = await createRecordings()
  const cookieOf = perRequest(({ request }) => request.headers.cookie)
  const { value, read, thrown } = await record(({ request }) => digestOf(request))
  t.strictSame([value, read, thrown], [null, null, undefined])
  const shared = await record((ctx, original) => {
    cookieOf(original)
    return [cookieOf(ctx), cookieOf(ctx)]
  })
  t.equal(shared.read, 'request.headers.cookie', 'the function runs again, and its reads are noted')
})

t.test('a WeakMap with requests as keys has nothing for a recorder', async (t) => {
  const users = new WeakMap<object, string>()
  const { record } = await createRecordings((app) => {
    app.addHook('onRequest', async (request) => void users.set(request, SECRET))
  })
  const { value, read } = await record(({ request }) => users.get(request) ?? null)
  t.strictSame([value, read], [null, null])
})

t.test('a load does not see the stores of the request', async (t) => {
  const storage = new AsyncLocalStorage<string>()
  const { record } = await createRecordings((app) => {
    app.addHook('onRequest', (_request, _reply, done) => storage.run(SECRET, done))
  })
  const { value } = await record(async () => {
    const before = storage.getStore() ?? null
    await new Promise(setImmediate)
    return [before, storage.getStore() ?? null]
  })
  t.strictSame(value, [null, null])
})
