import t from 'tap'
import { testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'
const USEFUL = { '// Something very useful': "seen('used', this === fastify)" }
const FOO = `fastify.register(module.exports)
fastify.get('/', async (request, reply) => [request.foo ?? null, reply.foo ?? null])`
const has = (what: string) => ({
  before: `${what}('utility', () => {})`,
  edit: { 'fastify.has': 'seen(fastify.has' },
  after: ')',
})
const DECORATORS = `let user = 'bob', request, reply
fastify.decorate('utility', 'tool').decorateRequest('user', 'bob').decorateReply('helper', 'help')\n`

t.test('Decorators', (t) =>
  testChapter(t, 'Reference/Decorators', {
    'Decorators 1': { requests: ['/'] },
    'Decorators 2': { requests: ['/'] },
    'decorate(name, value, [dependencies]) 1': { edit: USEFUL, after: 'fastify.utility()' },
    'decorate(name, value, [dependencies]) 2': { after: 'console.log(fastify.conf)' },
    'decorate(name, value, [dependencies]) 3': {
      before: "fastify.decorate('utility', () => seen('used')).decorate('conf', { db: 'some.db' })",
    },
    'decorate(name, value, [dependencies]) 4': {
      before: "class DbConnection { async query(text) { return 'hello ' + text } }",
      requests: ['/'],
    },
    'decorate(name, value, [dependencies]) 5': {
      before: "const fastifyPlugin = require('fastify-plugin')",
      edit: { 'if (err) throw err': 'if (err) throw err\nseen(address)' },
      requests: ['/'],
    },
    'decorateReply(name, value, [dependencies]) 1': {
      edit: { '// Something very useful': 'this.code(202).send(typeof this.hijack)' },
      after: "fastify.get('/', (request, reply) => { reply.utility() })",
      requests: ['/'],
    },
    'decorateReply(name, value, [dependencies]) 2': { fails: 'FST_ERR_DEC_REFERENCE_TYPE' },
    'decorateReply(name, value, [dependencies]) 3': { after: FOO, requests: ['/'] },
    'decorateRequest(name, value, [dependencies]) 1': {
      edit: { '// something very useful': 'return this.method' },
      after: "fastify.get('/', async (request, reply) => request.utility())",
      requests: ['/'],
    },
    'decorateRequest(name, value, [dependencies]) 2': { fails: 'FST_ERR_DEC_REFERENCE_TYPE' },
    'decorateRequest(name, value, [dependencies]) 3': { after: FOO, requests: ['/'] },
    'decorateRequest(name, value, [dependencies]) 4': {
      edit: { '// other code': 'return [req.user, req.my_decorator_holder]' },
      requests: ['/', '/'],
    },
    'hasDecorator(name) 1': has('fastify.decorate'),
    'hasRequestDecorator 1': has('fastify.decorateRequest'),
    'hasReplyDecorator 1': has('fastify.decorateReply'),
    'Decorators and Encapsulation 1': { fails: 'FST_ERR_DEC_ALREADY_PRESENT' },
    'Decorators and Encapsulation 2': {
      edit: {
        '// Amazing view rendering engine.': "this.send('outer ' + template)",
        '// Another rendering engine': "this.send('inner ' + template + args.hello)",
      },
      after: "server.get('/', (req, reply) => { reply.view('/index.html') })",
      requests: ['/', '/bar'],
    },
    'Getters and Setters 1': { after: 'console.log(fastify.foo)' },
    'Getters and Setters 2': { before: "fastify.decorate('foo', { getter: () => 'a getter' })" },
    'getDecorator(name) 1': {
      before: `${DECORATORS}fastify.get('/', async (...pair) => { [request, reply] = pair; return read() })\nlet read`,
      edit: { '// Get a decorator from the Fastify instance': 'read = () => {' },
      after: 'return [utility, user, helper] }',
      requests: ['/'],
    },
    'getDecorator(name) 2': {
      before: "fastify.decorate('usersRepository', { findAll: () => ['bob'] })",
      requests: ['/users'],
    },
    'setDecorator(name, value) 1': { after: "fastify.get('/', async (request) => request.user)", requests: ['/'] },
    'setDecorator(name, value) 2': { after: "fastify.get('/', async () => 1)", requests: ['/'], differs: ERROR },
  }),
)
