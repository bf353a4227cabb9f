import { join } from 'node:path'
import t from 'tap'
import { installOnce } from '../../../install-once.ts'
import { testChapter } from '../fastify-examples.ts'

const MIDDLEWARE = [
  'cors',
  'dns-prefetch-control',
  'frameguard',
  'hsts',
  'ienoopen',
  'serve-static',
  'x-xss-protection',
]
const NAMES = ['@fastify/express', '@fastify/middie', ...MIDDLEWARE]
const folder = await installOnce('fastify-middleware', {
  '@fastify/express': '^4',
  '@fastify/middie': '^9',
  ...Object.fromEntries(MIDDLEWARE.map((name) => [name, '*'])),
})
const modules = Object.fromEntries(
  NAMES.map((name) => [name, `require(${JSON.stringify(join(folder, 'node_modules', name))})`]),
)
const files = t.testdir({ assets: { 'a.css': 'p {}' } })

const GET = "fastify.get('/', async () => ({ hello: 'world' }))"
const preflight = { method: 'OPTIONS', url: '/' } as const

t.test('Middleware', (t) =>
  testChapter(t, 'Reference/Middleware', {
    'Middleware 1': { modules, after: GET, requests: ['/', preflight] },
    'Middleware 2': { modules, after: GET, requests: ['/', preflight] },
    'Restrict Middleware Execution to Certain Paths 1': {
      modules,
      before: `const __dirname = ${JSON.stringify(files)}\nawait fastify.register(require('@fastify/middie'))\n`,
      // The syntax of path-to-regexp 8.
      edit: { "'/css/(.*)'": "'/css/*path'" },
      after: "fastify.get('/css/own', async () => 'own')",
      requests: ['/css/a.css', '/js/a.css', '/css/own'],
    },
  }),
)
