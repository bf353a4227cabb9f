import t from 'tap'
import { testChapter } from '../fastify-examples.ts'

const FOO = {
  modules: { 'fastify-foo': "async (scope, options) => { scope.get('/', async () => options) }" },
}
const MINE = { 'my-plugin': "async (scope) => { scope.get('/', async () => 'mine') }" }
const HANDLER = "const handler = async () => 'handled'"
/** A plugin that the block exports, in a scope of its own or around all. */
const EXPORTED = `fastify.register(module.exports)
fastify.register(async (scope) => { scope.get('/has', async () => [scope.hasDecorator('utility')]) })`

t.test('Plugins', (t) =>
  testChapter(t, 'Reference/Plugins', {
    'Plugins 1': {
      before: "const plugin = async (scope, options) => { scope.get('/', async () => options) }",
      edit: { '[options]': "{ prefix: '/at' }" },
      requests: ['/at'],
    },
    'Plugin Options 1': { ...FOO, requests: ['/foo', '/foo/'] },
    'Plugin Options 2': { ...FOO, requests: ['/foo', '/foo/'] },
    'Plugin Options 3': { ...FOO, requests: ['/'] },
    'Error handling 1': { inScope: true, modules: MINE, requests: ['/'] },
    'async/await 1': { modules: MINE, requests: ['/'] },
    'ESM support 1': {
      modules: { './plugin.mjs': "async (scope) => { scope.get('/imported', async () => 1) }" },
      after: 'fastify.register(module.exports)',
      requests: ['/', '/imported'],
    },
    'Create a plugin 1': { before: HANDLER, after: EXPORTED, requests: ['/', '/has'] },
    'Create a plugin 2': {
      before: HANDLER,
      modules: {
        './other-plugin': "async (scope) => { scope.get('/other', async () => [scope.hasDecorator('utility')]) }",
      },
      after: EXPORTED,
      requests: ['/', '/has', '/other'],
    },
    'Handle the scope 1': { after: EXPORTED, fails: 'FST_ERR_PLUGIN_VERSION_MISMATCH' },
    'Handle the scope 2': { after: EXPORTED, requests: ['/has'] },
  }),
)
