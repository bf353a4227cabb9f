import { join } from 'node:path'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import t from 'tap'
import { ownBundles } from '../../../../src/server/build-output/manifest.ts'
import { runOutsideRequests } from '../../../../src/server/cache/outside-requests.ts'
import { recordReads, type VisitorRead } from '../../../../src/server/cache/visitor-reads.ts'
import { findAppSites } from '../../../../src/server/context/app-sites.ts'
import { findSiteFrame } from '../../../../src/server/failures/stacks/place-frames.ts'
import { createSourceMapper } from '../../../../src/server/failures/stacks/source-map.ts'
import { hydrant } from '../../../../src/server/index.ts'
import { buildFiles, JSON_ONLY } from '../../served.ts'

const FILES = {
  'lib/cookie.ts': `// The line of the read is the third one.
export function cookieOf(request: { headers: { cookie?: string } }) {
  return request.headers.cookie
}
`,
  'pages/index.server.ts': `import { cookieOf } from '../lib/cookie.ts'

export async function load({ app, request, reply }) {
  return app.recorded(request, reply, async (recorded) => {
    await null
    return { cookie: cookieOf(recorded) ?? null }
  })
}
`,
  'pages/package.server.ts': `export function load({ app, request, reply }) {
  return app.recorded(request, reply, (recorded) => ({ address: app.addressOf(recorded) }))
}
`,
  'pages/package.tsx': 'export default function Page() {\n  return <p>page</p>\n}\n',
}

t.test('finds the line of the site that read the property', async (t) => {
  const dir = await buildFiles(t.testdir(), FILES)
  const app = Fastify()
  t.teardown(() => app.close())
  let firstRead: VisitorRead | null = null
  app.decorate('addressOf', ({ ip }: FastifyRequest) => ip)
  app.decorate(
    'recorded',
    async (request: FastifyRequest, reply: FastifyReply, load: (request: FastifyRequest) => unknown) => {
      const recorder = recordReads({ request, reply, context: {}, hasGuards: false, url: '/', query: {} })
      const value = await runOutsideRequests(() => load(recorder.request))
      firstRead = recorder.firstRead
      return value
    },
  )
  await app.register(hydrant, { dir })
  const [{ build, folder }] = findAppSites(app)
  const mapper = createSourceMapper(dir, ownBundles(folder, build))

  async function placeOf(url: string) {
    firstRead = null
    const { statusCode } = await app.inject({ url, headers: JSON_ONLY })
    t.equal(statusCode, 200)
    // The route sets it, which the compiler cannot see.
    const read = firstRead as VisitorRead | null
    return read && { property: read.property, place: findSiteFrame(read.error, mapper) }
  }

  t.match(await placeOf('/'), {
    property: 'request.headers.cookie',
    place: { file: 'lib/cookie.ts', line: 3, column: 26, function: 'cookieOf' },
  })
  t.match(await placeOf('/package'), {
    property: 'request.ip',
    place: { file: 'pages/package.server.ts', line: 2 },
  })
})

t.test('returns null for a stack without a frame of the site', (t) => {
  const mapper = createSourceMapper(join(import.meta.dirname, 'no-site'), [])
  for (const stack of ['', 'Error: text\n    at load (pages/index.server.ts:1:1)', [1], undefined]) {
    const error = Object.assign(new Error('read'), { stack })
    t.equal(findSiteFrame(error, mapper), null)
  }
  t.end()
})
