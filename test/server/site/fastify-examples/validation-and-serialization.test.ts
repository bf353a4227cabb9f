import t from 'tap'
import { post, testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'

const HANDLER = `const handler = async ({ body, query, params, headers }) => ({ body, query, params, foo: headers['x-foo'] })\n`
/** Sends a body of an object with a status and a type that the request names. */
const ANSWER = `const handler = async ({ body, headers }, reply) => {
  reply.code(Number(headers['x-status'] ?? 200)).type(headers['x-type'] ?? 'application/json')
  return body
}\n`
const CHECK = `fastify.post('/', { schema: { body: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } } }, async (request) => request.body)
fastify.get('/plain', async () => { throw Object.assign(new Error('plain'), { statusCode: 409 }) })`
const AJV = "const Ajv = require('ajv')\n"

/** A JSON schema with the one method of other libraries. */
const SCHEMA = `{
  validate(data) { return typeof data?.hello === 'string' ? { value: { ...data, checked: true } } : { error: new Error('"hello" is required') } },
  validateSync(data) { if (!Number.isInteger(data?.age)) throw new Error('age must be an integer'); return data },
}`
const LIBRARY = `(() => {
  const schema = Object.assign(() => schema, ${SCHEMA})
  for (const name of ['object', 'keys', 'shape', 'string', 'number', 'integer', 'required']) schema[name] = () => schema
  return schema
})()`
const at = (payload: object | string, type?: string) => post('/the/url', payload, type)
const answer = (url: string, payload: object, status?: number, type?: string) => ({
  ...post(url, payload),
  headers: {
    'content-type': 'application/json',
    ...(status ? { 'x-status': `${status}` } : {}),
    ...(type ? { 'x-type': type } : {}),
  },
})
const REFS = {
  after: (name: string) => `fastify.post('/', { schema: { body: ${name} } }, async (request) => request.body)`,
  requests: [post('/', { home: { city: 1 }, work: { city: 'x' } }), post('/', { home: 'x' })],
  differs: ERROR,
} as const
const refs = (name: string) => ({ ...REFS, after: REFS.after(name) })

t.test('Validation and Serialization', (t) =>
  testChapter(t, 'Reference/Validation-and-Serialization', {
    'Adding a shared schema 1': {
      edit: { 'handler () {}': 'handler: async (request) => request.body' },
      requests: [post('/', ['a', 1]), post('/', [{}])],
      differs: ERROR,
    },
    'Adding a shared schema 2': {
      edit: { 'handler () {}': 'handler: async (request) => request.body' },
      requests: [post('/', { hello: 'a' }), post('/', { hello: {} })],
      differs: ERROR,
    },
    'Retrieving the shared schemas 1': { after: 'seen(mySchemas, mySchema)' },
    'Retrieving the shared schemas 2': { requests: ['/', '/sub', '/deep'] },
    'Header name case 1': {
      before: HANDLER,
      requests: [
        { ...at({ requiredKey: [1, '2'], someKey: 5, enumKey: 'Foo' }), headers: { 'X-Foo': 'x' } },
        { ...at({ requiredKey: [1] }), url: '/the/url?name=a&excitement=7', headers: { 'x-foo': 'x' } },
        { ...at({ requiredKey: [1] }), url: '/the/url?excitement=much', headers: { 'x-foo': 'x' } },
        ...[
          at({ requiredKey: [1] }),
          at({}),
          at({ requiredKey: [1, 2, 3, 4] }),
          at({ requiredKey: [1], enumKey: 'x' }),
        ],
      ],
      differs: ERROR,
    },
    'Body Content-Type Validation 1': {
      before: HANDLER,
      requests: [at({}), at([]), at('text', 'text/plain')],
      differs: ERROR,
    },
    'Body Content-Type Validation 2': {
      before: `${HANDLER}const YAML = require('yaml')\n`,
      requests: [at('name: a', 'application/yaml'), at('x: a', 'application/yaml'), at({ name: 'a' }), at({})],
      differs: ERROR,
    },
    'Body Content-Type Validation 3': { requests: ['/', '/?ids=1', '/?ids=1&ids=2'] },
    'Body Content-Type Validation 4': {
      before: AJV,
      after: CHECK,
      requests: [post('/', { a: 1 }), post('/', { a: '1' }), post('/', {})],
      differs: ERROR,
    },
    'Ajv Plugins 1': {
      app: true,
      modules: {
        'ajv-merge-patch': `(ajv) => ajv
          .addKeyword({ keyword: '$patch', macro: ({ source, with: [{ value }] }) => ({ ...source, properties: { q: value } }) })
          .addKeyword({ keyword: '$merge', macro: ({ source, with: more }) => ({ ...source, ...more }) })`,
      },
      requests: [post('/', { q: 1 }), post('/', { q: 'x' }), post('/foo', {}), post('/foo', { q: 'x' })],
    },
    'Validator Compiler 1': { not: 'It lists the defaults of an option.' },
    'Validator Compiler 2': {
      after: CHECK,
      requests: [post('/', { a: '1', b: 2 }), post('/', {})],
      differs: ERROR,
    },
    'Using other validation libraries 1': {
      before: HANDLER,
      modules: { joi: LIBRARY },
      requests: [at({ hello: 'a' }), at({})],
      differs: ERROR,
    },
    'Using other validation libraries 2': {
      before: HANDLER,
      modules: { yup: LIBRARY },
      requests: [at({ age: 1 }), at({})],
      differs: ERROR,
    },
    'Custom Validator Best Practices 1': { not: 'It shows two returned values, without a function.' },
    'Custom Validator Best Practices 2': {
      after: `fastify.post('/the/url', { schema: { body: ${SCHEMA} } }, async (request) => request.body)`,
      requests: [at({ hello: 'a' }), at({})],
      differs: ERROR,
    },
    '.statusCode property 1': {
      after: CHECK,
      requests: [post('/', {}), '/plain'],
      logs: /This error has status code/,
      differs: ERROR,
    },
    'Validation messages with other validation libraries 1': {
      after: `fastify.setErrorHandler(errorHandler)\n${CHECK}`,
      requests: [post('/', {}), '/plain'],
    },
    'Serialization 1': { before: ANSWER, requests: [at({ value: 1, otherValue: 'x', more: 1 })] },
    'Serialization 2': {
      before: ANSWER,
      requests: [200, 201, 202, 404].map((status) =>
        answer('/the/url', { value: 1, otherValue: 'x', error: 0 }, status),
      ),
    },
    'Serialization 3': {
      before: `${ANSWER}fastify.addSchema({ $id: 'test', type: 'object', properties: { name: { type: 'string' } } })\n`,
      requests: [
        answer('/url', { name: 1, more: 1 }),
        answer('/url', [{ name: 1, more: 1 }], 200, 'application/vnd.v1+json'),
        answer('/url', { fullName: 1, more: 1 }, 300, 'application/vnd.v2+json'),
        answer('/url', { desc: 1, more: 1 }, 404),
        answer('/url', { desc: 1, more: 1 }, 201, 'application/vnd.v3+json'),
      ],
    },
    'Serializer Compiler 1': { requests: ['/user'] },
    'Error Handling 1': {
      after: "fastify.post('/', { schema }, async (request) => request.body)",
      requests: [post('/', {}), post('/', { name: 'a' })],
      differs: ERROR,
    },
    'Error Handling 2': { not: 'It is a response.' },
    'Error Handling 3': {
      before: "const Fastify = require('fastify'), schema = { body: { type: 'object', required: ['name'] } }\n",
      edit: {
        'reply.code(400).send(req.validationError)\n  }':
          "reply.code(400).send(req.validationError)\n  } else reply.send('valid')",
      },
      requests: [post('/', {}), post('/', { name: 'a' })],
      differs: ERROR,
    },
    'schemaErrorFormatter 1': {
      app: true,
      before: "const Fastify = require('fastify'), myErrorMessage = 'my message'\n",
      after: CHECK,
      requests: [post('/', {})],
      logs: /^Validation failed$/,
    },
    'schemaErrorFormatter 2': { after: CHECK, requests: [post('/', {})], differs: ERROR },
    'schemaErrorFormatter 3': {
      app: true,
      before: "const Fastify = require('fastify')\n",
      modules: { 'ajv-errors': "(ajv) => ajv.addKeyword('errorMessage')" },
      edit: { 'jsonPointers: true,': '' },
      requests: [post('/', {}), post('/', { name: 'a', age: 1 })],
    },
    'schemaErrorFormatter 4': {
      before: "const Fastify = require('fastify')\n",
      modules: { 'ajv-i18n': "{ ru(errors) { for (const error of errors) error.message = 'нет' } }" },
      after:
        "fastify.post('/', { schema }, async () => 1)\nfastify.get('/', async () => { throw Object.assign(new Error('other'), { statusCode: 409 }) })",
      requests: [post('/', {}), '/'],
      differs: { [ERROR]: ['/'] },
    },
    'Usage of $ref to $id in same JSON Schema 1': refs('refToId'),
    'Usage of $ref to /definitions in same JSON Schema 1': refs('refToDefinitions'),
    'Usage $ref to a shared schema $id as external schema 1': refs('refToSharedSchemaId'),
    'Usage $ref to a shared schema /definitions as external schema 1': refs('refToSharedSchemaDefinitions'),
  }),
)
