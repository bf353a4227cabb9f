import t from 'tap'
import { type Example, post, testChapter } from '../fastify-examples.ts'

/** Runs the statements of a block in a handler. */
const inHandler = (end: string, options = '{}'): Example => ({
  before: `fastify.post('/', ${options}, async (request, reply) => {`,
  after: `${end}\n}})\n{`,
  requests: [post('/')],
})
const SCHEMA = "const schema1 = { type: 'object', properties: { foo: { type: 'string' } } };"
const BODY = "{ schema: { body: { type: 'object', properties: { foo: { type: 'string' } } } } }"
const withSchema1 = { ...inHandler("return 'sent'"), before: `${SCHEMA}\n${inHandler('').before}` }

t.test('Request', (t) =>
  testChapter(t, 'Reference/Request', {
    'Introduction 1': {
      before: 'const options = { bodyLimit: 1000, config: { a: 1 } }',
      edit: {
        '(request.id)': '(typeof request.id)',
        '(request.server)': '(request.server.prefix)',
        '(request.routeOptions.config)': '(JSON.stringify(request.routeOptions.config))',
        "('some info')": "('some info'); reply.send()",
      },
      requests: [{ ...post('/p?a=1&a=2&b=%20', { z: 1 }), headers: { host: 'a.example:8080', 'x-a': 'b' } }],
      logs: /^some info/,
    },
    '.headers 1': {
      ...inHandler('return [request.headers, request.raw.headers]'),
      requests: [{ method: 'POST', url: '/', headers: { a: 'b' } }],
    },
    '.validationError 1': {
      before: "const schema = { body: { type: 'object', required: ['name'] } }",
      requests: [post('/', { name: 'N' })],
    },
    '.getDecorator(name) 1': { requests: ['/'] },
    '.setDecorator(name, value) 1': { after: "fastify.get('/', async ({ user }) => user)", requests: ['/'] },
    '.getValidationFunction(schema | httpPart) 1': {
      ...inHandler("return 'sent'", BODY),
      edit: { '// or': '} {', '.getValidationFunction({': '.compileValidationSchema({' },
      requests: [post('/', { foo: 'a' })],
    },
    '.compileValidationSchema(schema, [httpPart]) 1': { ...inHandler("return 'sent'"), edit: { '// or': '} {' } },
    '.compileValidationSchema(schema, [httpPart]) 2': {
      ...inHandler(
        'const validate = request.compileValidationSchema(schema1)\nreturn [validate({ foo: {} }), validate({})]',
      ),
    },
    '.compileValidationSchema(schema, [httpPart]) 3': withSchema1,
    '.compileValidationSchema(schema, [httpPart]) 4': withSchema1,
    '.validateInput(data, [schema | httpPart], [httpPart]) 1': {
      ...inHandler(
        "return 'sent'",
        "{ schema: { querystring: { type: 'object', properties: { hello: { type: 'integer' } } } } }",
      ),
      edit: {
        'request\n': 'seen(request\n',
        '}) // true\n\n': '})) // true\n\n',
        "'body') // true": "'body')) // true",
        "'query') // false": "'querystring')) // false",
      },
    },
  }),
)
