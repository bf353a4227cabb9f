import t from 'tap'
import { testChapter } from '../fastify-examples.ts'

/** An error in a plugin with a callback would end the process. */
const THROWS = {
  "console.log(instance.util('that is ', 'awesome')) // This will throw an error":
    "try { console.log(instance.util('that is ', 'awesome')) } catch (error) { console.log(error.name) }",
}
const HTML = "const generateHtml = ({ hello }) => '<p>' + hello"
/** A request has no form as JSON that is always the same. */
const STAMPED = { 'reply.send(request)': 'reply.send([request.timestamp instanceof Date])' }
const stamped = { edit: STAMPED, requests: ['/plugin1', '/plugin2'] }
const HAPPY = { requests: ['/happiness', { url: '/happiness', headers: { happy: 'yes' } }] }
const CLIENT = { 'db-client': "{ connect: (url, done) => setImmediate(done, null, 'connected to ' + url) }" }
const MINE = "async (scope, options) => { scope.get('/', async () => options) }"

t.test("The hitchhiker's guide to plugins", (t) =>
  testChapter(t, 'Guides/Plugins-Guide', {
    'Register 1': { before: "const options = 'own'", modules: { './my-plugin': MINE }, requests: ['/'] },
    'Register 2': { edit: { '{}': "{ seen('called'); done() }" }, after: 'fastify.register(module.exports)' },
    'Register 3': { after: 'fastify.register(module.exports)', requests: ['/plugin'] },
    'Decorators 1': { after: "seen(module.exports('that is ', 'awesome'))" },
    'Decorators 2': { modules: { './your-awesome-utility': '(a, b) => a + b' } },
    'Decorators 3': { after: "console.log(fastify.util('that is ', 'awesome'))" },
    'Decorators 4': { edit: THROWS },
    'Decorators 5': { edit: THROWS },
    'Decorators 6': { before: HTML, requests: ['/html'] },
    'Decorators 7': { before: HTML, requests: ['/html'] },
    'Decorators 8': HAPPY,
    'Decorators 9': HAPPY,
    'Hooks 1': stamped,
    'Hooks 2': stamped,
    'Hooks 3': stamped,
    'Hooks 4': stamped,
    'How to handle encapsulation and distribution 1': {
      modules: CLIENT,
      after: "fastify.register(module.exports, { url: 'here' })\nfastify.get('/', async () => fastify.db)",
      requests: ['/'],
    },
    'How to handle encapsulation and distribution 2': { modules: { ...CLIENT, 'your-plugin': MINE }, requests: ['/'] },
    'ESM support 1': { after: 'fastify.register(module.exports)', requests: ['/'] },
    'Handle errors 1': {
      modules: { './database-connector': "async () => { throw new Error('no connection') }" },
      // What it throws would end the process.
      edit: { 'throw err': 'seen(err.message)' },
    },
    'Custom errors 1': {
      after:
        "fastify.setErrorHandler((error, request, reply) => reply.code(409).send(error.code))\nfastify.get('/', async () => { throw new CustomError() })",
      requests: ['/'],
    },
    'Emit Warnings 1': { not: 'It needs an old version of another package, and nothing of Fastify.' },
  }),
)
