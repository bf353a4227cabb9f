import t from 'tap'
import { post, testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'

/** A parser that gives the text of a stream, with its own name. */
const PARSERS = `const { text } = require('node:stream/consumers')
const parserOf = (name) => (stream, done) => text(stream).then((body) => done(null, [name, body]), done)
const jsoffParser = parserOf('jsoff'), xmlParser = parserOf('xml'), imageParser = parserOf('image'), jsonParser = parserOf('json')
const jsoffParserAsync = async (stream) => ['async', await text(stream)]\n`
const POST = "fastify.post('/', async (request) => ({ body: request.body }))"
const send = (type: string, body = '{"a":1}') => post('/', body, type)
const parsed = { before: PARSERS, after: POST }

t.test('Content-Type Parser', (t) =>
  testChapter(t, 'Reference/ContentTypeParser', {
    'Usage 1': {
      ...parsed,
      // Fastify takes one parser for a type.
      edit: { "'application/jsoff', async": "'application/jsoff2', async" },
      requests: [
        ...['application/jsoff', 'application/jsoff2', 'text/xml', 'application/xml; charset=utf-8'].map((type) =>
          send(type),
        ),
        ...['image/png', 'text/json', 'a/b', 'application/json'].map((type) => send(type)),
        send('text/json', '{"__proto__":1}'),
      ],
      differs: { [ERROR]: ['a/b'] },
    },
    'Usage 2': {
      ...parsed,
      edit: {
        "('application/vnd.custom+xml', (request, body, done) => {} )\nfastify":
          "('application/vnd.custom+xml', (request, body, done) => done(null, 'first'))\nfastify",
        "('application/vnd.custom', (request, body, done) => {} )\n\n":
          "('application/vnd.custom', (request, body, done) => done(null, 'second'))\nfastify.removeContentTypeParser(['application/vnd.custom', 'application/vnd.custom+xml'])\n",
        "('application/vnd.custom', (request, body, done) => {} )\nfastify":
          "('application/vnd.custom', (request, body, done) => done(null, 'third'))\nfastify",
        "('application/vnd.custom+xml', (request, body, done) => {} )":
          "('application/vnd.custom+xml', (request, body, done) => done(null, 'fourth'))",
      },
      requests: [send('application/vnd.custom'), send('application/vnd.custom+xml')],
    },
    'Correct Usage 1': {
      before: PARSERS,
      edit: {
        // Fastify would not end to wait for the plugin, and GET has no body.
        '(fastify, opts) => {': 'async (fastify, opts) => {',
        "fastify.get('/hello', async (req, res) => {})": "fastify.post('/hello', async (req) => req.body)",
      },
      after: POST,
      requests: [post('/hello', { a: 1 }), post('/', { a: 1 })],
    },
    'hasContentTypeParser 1': { ...parsed, requests: [send('application/jsoff')] },
    'removeContentTypeParser 1': {
      ...parsed,
      requests: [send('text/xml'), send('application/json'), send('text/plain')],
      differs: { [ERROR]: ['application/json', 'text/plain'] },
    },
    'removeAllContentTypeParsers 1': {
      ...parsed,
      requests: [send('text/xml'), send('application/json'), send('text/plain')],
      differs: { [ERROR]: ['application/json', 'text/plain'] },
    },
    'Body Parser 1': {
      after: POST,
      requests: [send('application/json'), send('application/json', '{'), send('application/json', '{"__proto__":1}')],
      differs: { [ERROR]: ['{'] },
    },
    'Catch-All 1': {
      after: POST,
      requests: ['a/b', 'application/json', 'text/plain', 'multipart/form-data'].map((type) => send(type)),
    },
    'Catch-All 2': { after: POST, requests: ['a/b', 'application/json'].map((type) => send(type)) },
    'Catch-All 3': {
      before: "fastify.addContentTypeParser('*', (request, payload, done) => done())",
      requests: [post('/hello', 'abc', 'a/b')],
    },
    'Catch-All 4': {
      modules: {
        split2:
          "(parse) => new (require('node:stream').Transform)({ readableObjectMode: true, transform(part, _, done) { for (const line of String(part).split('\\n')) this.push(parse(line)); done() } })",
        pump: '(from, to) => from.pipe(to)',
      },
      edit: { '// log every incoming object': "\nreq.body.on('end', () => res.send('logged'))" },
      requests: [post('/api/log/jsons', '{"a":1}\n{"b":2}', 'application/x-ndjson')],
    },
    'Catch-All 5': {
      after: POST,
      // The text is a constant, so that the first part of a body is an error, which Fastify would not catch.
      edit: { 'const data': 'let data' },
      requests: ['a/b', 'application/json'].map((type) => send(type)),
    },
  }),
)
