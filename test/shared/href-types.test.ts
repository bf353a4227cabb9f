import Fastify from 'fastify'
import t from 'tap'
import { hydrant } from '../../src/server/index.ts'
import { createSite } from '../scripts/create-site.ts'
import { buildSharing } from '../shared-compression.ts'

const files = {
  // The calls are at the top level of a module, in a component, in a load, and in a module that both import.
  'links.ts':
    "import { href } from 'hydrant/react'\nexport const shared = href('/products/[id]', { id: 'shared' }, { search: { a: 1 } })\n",
  'pages/index.tsx': `
    import { FailureBoundary, href } from 'hydrant/react'
    import { shared } from '../links.ts'
    const top = href('/')
    export default ({ data }) => <FailureBoundary><p>{[top, shared, data.loaded, href('/docs/[...path]', { path: 'a/b' })].join(' ')}</p></FailureBoundary>
  `,
  'pages/index.server.ts': `
    import * as hydrant from 'hydrant/react'
    import { shared } from '../links.ts'
    export const load = () => ({ loaded: hydrant.href('/products/[id]', { id: 7 }), shared })
  `,
  'pages/docs/[...path].tsx': 'export default ({ params }) => <p>{params.path}</p>\n',
  'pages/docs/[...path].server.ts': 'export const load = ({ params }) => params\n',
  'pages/products/[id].tsx': 'export default ({ params }) => <p>{params.id}</p>\n',
  'pages/products/[id].server.ts': `
    import { href } from 'hydrant/react'
    export const load = ({ params, url }) => ({ id: params.id, again: href('/products/[id]', params) })
  `,
  'pages/old.tsx': 'export default () => null\n',
  'pages/old.server.ts': `
    import { redirect } from 'hydrant'
    import { href } from 'hydrant/react'
    export const load = ({ url }) => redirect(url.search === '' ? href('/products/[id]', { id: 'x y' }) : '/products/1')
  `,
  'pages/wrong.tsx': 'export default () => null\n',
  'pages/wrong.server.ts':
    "import { href } from 'hydrant/react'\nexport const load = () => href('/products/[id]', { id: '' })\n",
  'server.ts': `
    import { href } from 'hydrant/react'
    export default async (app) => void app.addHook('onRequest', async (_, reply) => void reply.header('x-base', href('/')))
  `,
}

t.test('knows the base of its site, also if one build is served at two', async (t) => {
  const dir = createSite(t, files)
  await buildSharing({ dir })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(hydrant, { dir, base: '/one' })
  await app.register(hydrant, { dir, base: '/two.~2' })
  await app.register(async (scope) => void (await scope.register(hydrant, { dir })), { prefix: '/three' })
  for (const base of ['/one', '/two.~2', '/three']) {
    const html = (await app.inject({ url: base, headers: { accept: 'text/html' } })).body
    t.match(html, `<p>${base} ${base}/products/shared?a=1 ${base}/products/7 ${base}/docs/a/b</p>`)
    t.equal((await app.inject(`${base}/old`)).headers['x-base'], base)
    const { location } = (await app.inject({ url: `${base}/old`, headers: { accept: 'text/html' } })).headers
    t.equal(location, `${base}/products/x%20y`, 'a redirect takes it as it is')
    t.equal((await app.inject(`${base}/old?plain`)).headers.location, `${base}/products/1`)
  }
})

t.test('the page gets the parameters that href was given', async (t) => {
  const dir = createSite(t, files)
  await buildSharing({ dir })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(hydrant, { dir })
  const json = async (url: string) => (await app.inject({ url, headers: { accept: 'application/json' } })).json()
  for (const id of ['7', 'ä b', 'a/b', '?#%', '%2F', '😀', '...', 'a+b', '"<>\\', '~.-_']) {
    const url = `/products/${encodeURIComponent(id)}`
    t.strictSame(await json(url), { id, again: url }, id)
  }
  t.strictSame(await json('/docs/a/b%20c/%25'), { path: 'a/b c/%' })
})

t.test('a missing value fails at the call', async (t) => {
  const dir = createSite(t, files)
  await buildSharing({ dir })
  const lines: string[] = []
  const app = Fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } })
  t.teardown(() => app.close())
  await app.register(hydrant, { dir })
  t.equal((await app.inject('/wrong')).statusCode, 500)
  const { err }: { err: { message: string; stack: string } } = JSON.parse(
    lines.find((line) => line.includes('"digest"')) ?? '{}',
  )
  t.equal(err.message, `href('/products/[id]'): "id" is missing or empty`)
  t.match(err.stack, 'pages/wrong.server.ts:2:27')
})
