import t from 'tap'
import { originalRequest } from '../../../src/server/http/request-url.ts'
import { createRecordings, type Load, SECRET } from './recorded.ts'

t.test('setting status and headers of the reply works, and returns the recorder', async (t) => {
  const { record } = await createRecordings()
  const { value, read, statusCode, headers } = await record(({ request, reply }) => {
    const chained = reply
      .code(201)
      .status(202)
      .header('x-one', '1')
      .headers({ 'x-two': '2', 'x-three': '3' })
      .type('text/css')
      .removeHeader('x-three')
    const { header } = reply
    return [
      chained === reply,
      chained.request === request,
      reply.header === header,
      header.call(reply, 'x-four', '4') === reply,
    ]
  })
  t.equal(read, null)
  t.strictSame(value, [true, true, true, true])
  t.equal(statusCode, 202)
  t.match(headers, { 'x-one': '1', 'x-two': '2', 'x-four': '4', 'content-type': 'text/css' })
  t.notOk('x-three' in headers)
  const chained = await record(({ reply }) => reply.header('x-one', '1').request.headers.cookie)
  t.equal(chained.read, 'request.headers.cookie')
  const code = await record(({ reply }) => {
    reply.statusCode = 418
  })
  t.equal(code.read, null)
  t.equal(code.statusCode, 418)
})

function isSame(read: () => unknown): boolean {
  const [first, second] = [read(), read()]
  return first === second
}

t.test('identities are as always', async (t) => {
  const { record } = await createRecordings((app) => {
    app.decorateRequest('session', null as unknown as object)
    app.decorateRequest('self', null as unknown as object)
    app.decorateRequest('method_', () => 1)
    app.addHook('onRequest', async (request) => Object.assign(request, { session: { user: SECRET }, self: request }))
  })
  const { value } = await record(({ request, reply }, original) => [
    isSame(() => request.session),
    request.session === original.request.session,
    isSame(() => request.headers),
    request.self === request,
    reply.request === request,
    isSame(() => request.log),
    isSame(() => request.log.info),
    isSame(() => reply.header),
    request.log === reply.log,
    isSame(() => request.method_),
    isSame(() => request.query),
    isSame(() => request.params),
    originalRequest(request) === original.request,
    originalRequest(original.request) === original.request,
  ])
  t.strictSame(value, Array(14).fill(true))
})

t.test('writes go to the original', async (t) => {
  const { record } = await createRecordings((app) => {
    app.decorateRequest('user', '')
    app.decorateRequest('left', '')
  })
  const { value, read, thrown } = await record(({ request, reply }, original) => {
    request.user = 'new'
    request.headers['x-added'] = 'added'
    Object.defineProperty(request, 'defined', { value: 1, writable: true, enumerable: true, configurable: true })
    Object.defineProperty(request, 'fixed', { value: 2, writable: false, enumerable: true, configurable: false })
    delete request.left
    Object.assign(reply, { kept: request })
    const { user, headers, defined, fixed } = original.request
    return [
      user,
      headers['x-added'],
      defined,
      fixed,
      'left' in original.request,
      original.reply.kept === original.request,
    ]
  })
  t.equal(thrown, undefined)
  t.equal(read, null, 'writing is not a read')
  t.strictSame(value, ['new', 'added', 1, 2, false, true])
  const fixed = await record(({ request }) => {
    Object.defineProperty(request, 'fixed', { value: 2, configurable: false })
    return [
      request.fixed,
      Object.getOwnPropertyDescriptor(request, 'fixed')?.configurable,
      Reflect.ownKeys(request).length > 3,
    ]
  })
  t.strictSame(fixed.value, [2, false, true])
  const held = await record(({ request }) => {
    const own = () => 1
    Object.defineProperty(request, 'fixed', { value: own, configurable: false })
    Object.defineProperty(request, 'query', { value: 'own', writable: false, configurable: false })
    return [request.fixed === own, request.query]
  })
  t.strictSame(held.value, [true, 'own'])
  const frozen = await record(({ request }, original) => {
    t.throws(() => Object.freeze(request), TypeError)
    request.user = 'new'
    return [Object.isExtensible(request), 'user' in request, Object.isFrozen(original.request)]
  })
  t.strictSame(frozen.value, [true, true, false])
  const moved = await record(({ request }, original) => {
    const prototype = Object.create(Object.getPrototypeOf(request)) as object
    Object.setPrototypeOf(request, prototype)
    return [request, original.request].map((object) => Object.getPrototypeOf(object) === prototype)
  })
  t.strictSame(moved.value, [true, true])
  const derived = await record(({ request }, original) => {
    const child = Object.create(request) as Record<string, unknown>
    child.own = 1
    return [Object.keys(child), 'own' in original.request, child.user]
  })
  t.strictSame(derived.value, [['own'], false, ''])
  t.equal(derived.read, 'request.user')
})

t.test('a write that can show the visitor is a read', async (t) => {
  const { record } = await createRecordings((app) => {
    app.addHook('onRequest', async (request) => Object.defineProperty(request, 'locked', { value: SECRET }))
    const current = new WeakMap<object, unknown>()
    app.decorateRequest('account', {
      getter() {
        return current.get(this)
      },
      setter(value) {
        current.set(this, value)
        throw new Error(String(this.headers.cookie))
      },
    })
  })
  const loads: [Load, string][] = [
    [
      ({ request }) => {
        request.account = 1
      },
      'request.account',
    ],
    [
      ({ reply }) => {
        reply.trailer = () => reply
      },
      'reply.trailer',
    ],
    [
      ({ reply }) => {
        reply.header = () => reply
      },
      'reply.header',
    ],
    [({ request }) => Object.defineProperty(request, 'trick', { get: () => 1 }), 'request.trick'],
    [({ request }) => Object.setPrototypeOf(request, {}), 'request'],
    [({ request }) => Object.defineProperty(request, 'attributes', { value: 1 }), 'request.attributes'],
    [({ request }) => Reflect.set(request, 'ip', '::1'), 'request.ip'],
    [({ request }) => Reflect.set(request, 'locked', 1), 'request.locked'],
    [({ request }) => Reflect.deleteProperty(request, 'locked'), 'request.locked'],
  ]
  for (const [load, property] of loads) t.equal((await record(load)).read, property)
})
