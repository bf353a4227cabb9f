import t from 'tap'
import { post, testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'
const HOOKS = "`onRoute` and `onRegister` hooks see the app's routes and scopes"

const GET = "fastify.get('/', async () => ({ hello: 'some-text' }))\nfastify.get('/text', async () => 'some-text')"
const POST = "fastify.post('/', async (request) => ({ body: request.body }))"
const FAIL =
  "fastify.setErrorHandler(async (error) => ({ own: error.message }))\nfastify.get('/', async () => { throw new Error('failed') })"
const NEVER = "fastify.get('/', () => { seen('begun') })"
const WORK = "const asyncMethod = async () => seen('work')\n"
const NEW_PAYLOAD = "const newPayload = require('node:stream').Readable.from([Buffer.from('{\"b\":2}')])\n"
const RANDOM = "const generateRandomString = async () => 'random'"
const SOON = 'fastify.server.setTimeout(30)\n'

const get = { after: GET, requests: ['/', '/text'] }
const body = { after: POST, requests: [post('/', { a: 1 })] }

/** A channel whose subscribers get one message, so that they do not stay. */
const CHANNEL = `(({ channel }) => ({
  channel: (name) => ({
    subscribe(receive) {
      const once = (message) => { channel(name).unsubscribe(once); receive(message) }
      channel(name).subscribe(once)
    },
  }),
}))(require('diagnostics_channel'))`

t.test('Hooks', (t) =>
  testChapter(t, 'Reference/Hooks', {
    'onRequest 1': get,
    'onRequest 2': { ...get, before: WORK },
    'preParsing 1': { ...body, before: NEW_PAYLOAD },
    'preParsing 2': { ...body, before: WORK + NEW_PAYLOAD },
    'preValidation 1': body,
    'preValidation 2': { ...body, before: RANDOM },
    'preHandler 1': get,
    'preHandler 2': { ...get, before: WORK },
    'preSerialization 1': get,
    'preSerialization 2': get,
    'onError 1': { after: FAIL, requests: ['/'] },
    'onError 2': { after: FAIL, requests: ['/'], edit: { '// Useful for': 'seen(error.message) // ' } },
    'onSend 1': get,
    'onSend 2': get,
    'onSend 3': get,
    'onResponse 1': get,
    'onResponse 2': { ...get, before: WORK },
    'onTimeout 1': { before: SOON, after: NEVER, requests: [{ connect: '/' }] },
    'onTimeout 2': { before: SOON + WORK, after: NEVER, requests: [{ connect: '/' }] },
    'onRequestAbort 1': { after: NEVER, requests: [{ connect: '/' }] },
    'onRequestAbort 2': { before: WORK, after: NEVER, requests: [{ connect: '/' }] },
    'Manage Errors from a hook 1': { ...get, differs: ERROR },
    'Manage Errors from a hook 2': { ...get, differs: ERROR },
    'Manage Errors from a hook 3': { ...get, differs: ERROR },
    'Respond to a request from a hook 1': get,
    'Respond to a request from a hook 2': {
      ...get,
      before: "const fs = { createReadStream: (name) => require('node:stream').Readable.from([name]) }",
    },
    'Respond to a request from a hook 3': get,
    'onReady 1': { before: "const loadCacheFromDatabase = async () => seen('loaded')" },
    'onListen 1': { after: GET, requests: [{ connect: '/' }] },
    'onClose 1': { before: "const closeDatabaseConnections = async () => seen('closed')" },
    'Execution order 1': {
      before: "fastify.decorate('db', { close: async () => seen('database') })",
      edit: { '// Runs second': "seen('second') //" },
    },
    'preClose 1': { before: "const removeSomeServerState = async () => seen('removed')" },
    'preClose 2': { before: 'const activeWebSockets = [{ close: seen }]' },
    'onRoute 1': { after: GET, edit: { '//Some code': 'seen(JSON.stringify(routeOptions))' }, differs: HOOKS },
    'onRoute 2': { ...get },
    'onRoute 3': { after: GET, fails: 'FST_ERR_DUPLICATED_ROUTE' },
    'onRegister 1': { differs: HOOKS },
    'Scope 1': {
      ...get,
      edit: { '// Fastify context': '\nseen(typeof self.get, self.scope)' },
      after: `${GET}\nfastify.register(async (scope) => { scope.decorate('scope', 'own'); scope.get('/own', async () => 1) })`,
      requests: ['/', '/own'],
    },
    'Scope 2': { before: "const assert = require('node:assert')", requests: ['/', '/nested'] },
    'Route level hooks 1': {
      edit: { '{ ... }': '{}', '\n    done(': "\n    seen('own');done(" },
      requests: ['/'],
    },
    'Using Hooks to Inject Custom Properties 1': { requests: ['/me/is-admin'] },
    'Using Hooks to Inject Custom Properties 2': { not: 'It has only types.' },
    'Diagnostics Channel Hooks 1': {
      app: true,
      modules: { 'node:diagnostics_channel': CHANNEL },
      edit: {
        '/* retrieved from elsewhere in the package */':
          "{ startSpan(name) { seen(name); return { finish: () => seen('finished') } } }",
      },
      after: `fastify = require('fastify')()\n${GET}`,
      requests: ['/'],
    },
    'Diagnostics Channel Hooks 2': { ...get, modules: { 'node:diagnostics_channel': CHANNEL } },
  }),
)
