import t from 'tap'
import { type Example, post, testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'
const HEADERS = 'a response has only the headers of the app'

const OPTIONS = 'const options = {}'
const FILE = { edit: { "'some-file'": "'package.json'" } }

/** Runs the statements of a block in a handler. */
const inHandler = (end: string, before = '', options = '{}'): Example => ({
  before: `fastify.get('/', ${options}, async (request, reply) => {\n${before}`,
  after: `${end}\n}})\n{`,
  requests: ['/'],
})

const SCHEMA = "const schema1 = { type: 'object', properties: { foo: { type: 'string' } } };"
const withSchema1 = inHandler("return [serialize({ foo: '5' })]", SCHEMA)
const RESPONSES = `{ schema: { response: {
  200: { content: {
    'application/json': { schema: { type: 'object', properties: { foo: { type: 'string' } } } },
    'application/vnd.v1+json': { schema: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'number' } } } },
  } },
  201: { type: 'object', properties: { foo: { type: 'string' } } },
} } }`
/** A value that only the schema makes shorter. */
const SERIALIZED = { "serialize({ foo: 'bar' })": "seen(serialize({ foo: 'bar', other: 1 }))", '// or': '} {' }

t.test('Reply', (t) =>
  testChapter(t, 'Reference/Reply', {
    'Introduction 1': { before: OPTIONS, requests: ['/'] },
    '.statusCode 1': inHandler('return [reply.statusCode]', 'reply.code(404)'),
    '.request 1': { after: "fastify.get('/x', async () => 1)", requests: ['/x?a=1'] },
    '.log 1': { requests: ['/'], logs: /^sending/ },
    '.raw 1': {
      before:
        "fastify.decorateReply('setCookie', function (name, value) { this.header('set-cookie', name + '=' + value) })",
      requests: ['/cookie-2'],
    },
    '.server 1': { requests: ['/'] },
    '.routeOptions 1': { requests: ['/'] },
    '.mediaType 1': {
      before: "fastify.addHook('onSend', async (request, reply, payload) => {",
      edit: { 'reply.payload, 3, 3': 'payload.buffer, payload.byteOffset + 3, 3' },
      after: "}})\nfastify.get('/', (request, reply) => { reply.type('image/gif').send(Buffer.from('GIF89a')) })\n{",
      requests: ['/'],
    },
    '.elapsedTime 1': inHandler('return [typeof milliseconds, milliseconds > 0]'),
    'Objects 1': { before: OPTIONS, requests: ['/json'] },
    'Strings 1': { requests: ['/json-string'] },
    'Strings 2': { before: OPTIONS, requests: ['/json'] },
    'Buffers 1': { ...FILE, requests: ['/streams'] },
    'Buffers 2': { ...FILE, requests: ['/streams'] },
    'TypedArrays 1': { requests: ['/streams'] },
    'Streams 1': { ...FILE, requests: ['/streams'] },
    'Streams 2': { ...FILE, requests: ['/streams'] },
    'ReadableStream 1': { ...FILE, requests: ['/streams'] },
    'Response 1': { ...FILE, requests: ['/streams'] },
    'Errors 1': { not: 'It has only types.' },
    'Errors 2': {
      before: "const httpErrors = { Gone: () => Object.assign(new Error('Gone for good'), { statusCode: 410 }) }",
      requests: ['/'],
      differs: ERROR,
    },
    'Errors 3': { requests: ['/'], differs: ERROR },
    'Errors 4': {
      after: `fastify.get('/own', async () => { throw new Error('hidden') })
fastify.get('/refusal', async () => { throw Object.assign(new Error('shown'), { statusCode: 403 }) })`,
      requests: ['/own', '/refusal'],
      logs: /^(hidden|shown)$/,
    },
    'Errors 5': { requests: ['/none', post('/none'), { method: 'DELETE', url: '/about/none' }] },
    'Async-Await and Promises 1': { before: OPTIONS, edit: { '200': '2' }, requests: ['/promises', '/async-await'] },
    'Async-Await and Promises 2': { requests: ['/teapot', '/botnet'], differs: ERROR },
    '.header(key, value) 1': inHandler("return 'sent'"),
    '.headers(object) 1': inHandler("return 'sent'"),
    '.type(contentType) 1': inHandler("return '<p>'"),
    '.redirect(dest, [code]) 1': inHandler("return reply.sent ? reply : 'nothing'"),
    '.redirect(dest, [code]) 2': inHandler("return reply.sent ? reply : 'nothing'"),
    '.redirect(dest, [code]) 3': inHandler("return reply.sent ? reply : 'nothing'"),
    '.redirect(dest, [code]) 4': inHandler("return reply.sent ? reply : 'nothing'"),
    '.getHeader(key) 1': {
      ...inHandler("return 'sent'"),
      edit: { "reply.getHeader('x-foo')": "seen(reply.getHeader('x-foo'))" },
    },
    '.getHeaders() 1': {
      ...inHandler("return 'sent'"),
      edit: { 'reply.getHeaders()': 'seen(reply.getHeaders())' },
      differs: HEADERS,
    },
    '.removeHeader(key) 1': {
      ...inHandler("return 'sent'"),
      edit: { "reply.getHeader('x-foo')": "seen(typeof reply.getHeader('x-foo'))" },
    },
    '.callNotFound() 1': {
      before: `fastify.setNotFoundHandler(async ({ url }, reply) => { reply.code(404); return { none: url } })
fastify.get('/x', (request, reply) => {`,
      after: '}})\n{',
      requests: ['/x'],
    },
    '.hijack() 1': { requests: ['/'] },
    '.serializer(func) 1': inHandler(
      'return { a: 1 }',
      "const protoBuf = { serialize: ({ a }) => Buffer.from('proto ' + a) }",
    ),
    '.serializer(func) 2': inHandler(
      "return reply.sent ? reply : 'nothing'",
      "const data = { a: 1 }, protoBuf = { serialize: ({ a }) => Buffer.from('proto ' + a) }",
    ),
    '.serialize(payload) 1': { requests: ['/'] },
    '.trailer(key, function) 1': inHandler("return 'sent'"),
    '.removeTrailer(key) 1': {
      ...inHandler("return 'sent'"),
      edit: { "reply.hasTrailer('server-timing')": "seen(reply.hasTrailer('server-timing'))" },
    },
    '.writeEarlyHints(hints, callback) 1': inHandler(
      "return 'sent'",
      'const { writeEarlyHints } = reply.raw; reply.raw.writeEarlyHints = function (...hints) { seen(hints[0]); return writeEarlyHints.apply(this, hints) }',
    ),
    '.getDecorator(name) 1': { requests: ['/'] },
    '.getSerializationFunction(schema | httpStatus, [contentType]) 1': {
      ...inHandler("return 'sent'", '', RESPONSES),
      // A function for a schema exists when it has been compiled.
      edit: { ...SERIALIZED, '.getSerializationFunction({': '.compileSerializationSchema({', '(200)': '(201)' },
    },
    '.compileSerializationSchema(schema, [httpStatus], [contentType]) 1': {
      ...inHandler("return 'sent'"),
      edit: {
        ...SERIALIZED,
        "serialize({ name: 'Jone', phone: 201090909090 })": "seen(serialize({ name: 'Jone', phone: 201090909090 }))",
      },
    },
    '.compileSerializationSchema(schema, [httpStatus], [contentType]) 2': inHandler(
      "return reply.compileSerializationSchema(schema1)({ foo: 'bar', other: 1 })",
    ),
    '.compileSerializationSchema(schema, [httpStatus], [contentType]) 3': withSchema1,
    '.compileSerializationSchema(schema, [httpStatus], [contentType]) 4': withSchema1,
    '.serializeInput(data, [schema | httpStatus], [httpStatus], [contentType]) 1': {
      ...inHandler("return 'sent'", '', RESPONSES),
      edit: {
        'reply\n': 'seen(reply\n',
        "}) // '{": "})) // '{",
        "200) // '{": "201)) // '{",
        "json') // '{": "json')) // '{",
      },
    },
  }),
)
