import { join } from 'node:path'
import Fastify, { type FastifyRequest } from 'fastify'
import t from 'tap'
import { ownBundles } from '../../../../src/server/build-output/manifest.ts'
import { runOutsideRequests } from '../../../../src/server/cache/outside-requests.ts'
import { findAppSites } from '../../../../src/server/context/app-sites.ts'
import { findSiteFrame } from '../../../../src/server/failures/stacks/place-frames.ts'
import { createSourceMapper } from '../../../../src/server/failures/stacks/source-map.ts'
import { hydrant } from '../../../../src/server/index.ts'
import { buildFiles, JSON_ONLY } from '../../served.ts'

const FILES = {
  'lib/cookie.ts': `// The line of the read is the third one.
export function cookieOf(ctx: { request: { headers: { cookie?: string } } }) {
  return ctx.request.headers.cookie
}
`,
  'pages/index.server.ts': `import { cookieOf } from '../lib/cookie.ts'

export async function load({ app }) {
  return app.recorded(async (recorded) => {
    await null
    return { cookie: cookieOf(recorded) ?? null }
  })
}
`,
  'pages/package.server.ts': `export function load({ app }) {
  return app.recorded((recorded) => ({ address: app.addressOf(recorded) }))
}
`,
  'pages/package.tsx': 'export default function Page() {\n  return <p>page</p>\n}\n',
}

interface Recorded {
  readonly request: Pick<FastifyRequest, 'ip' | 'headers'>
}

t.test('finds the line of the site that read the property', async (t) => {
  const dir = await buildFiles(t.testdir(), FILES)
  const app = Fastify()
  t.teardown(() => app.close())
  let read: Error | null = null
  const recorded: Recorded = {
    get request() {
      read = new Error('it was read')
      return { ip: '192.0.2.7', headers: {} }
    },
  }
  app.decorate('addressOf', ({ request }: Recorded) => request.ip)
  app.decorate('recorded', async (load: (ctx: Recorded) => unknown) => runOutsideRequests(() => load(recorded)))
  await app.register(hydrant, { dir })
  const [{ build, folder }] = findAppSites(app)
  const mapper = createSourceMapper(dir, ownBundles(folder, build))

  async function placeOf(url: string) {
    read = null
    const { statusCode } = await app.inject({ url, headers: JSON_ONLY })
    t.equal(statusCode, 200)
    // The getter sets it, which the compiler cannot see.
    const error = read as Error | null
    return error && findSiteFrame(error, mapper)
  }

  t.match(await placeOf('/'), { file: 'lib/cookie.ts', line: 3, column: 14, function: 'cookieOf' })
  t.match(await placeOf('/package'), { file: 'pages/package.server.ts', line: 2 })
})

t.test('returns null for a stack without a frame of the site', (t) => {
  const mapper = createSourceMapper(join(import.meta.dirname, 'no-site'), [])
  for (const stack of ['', 'Error: text\n    at load (pages/index.server.ts:1:1)', [1], undefined]) {
    const error = Object.assign(new Error('read'), { stack })
    t.equal(findSiteFrame(error, mapper), null)
  }
  t.end()
})
