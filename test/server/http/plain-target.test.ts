// Hooks see each path in one spelling.

import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { plainTarget } from '../../../src/server/http/request-url.ts'
import { rewriteUrl } from '../../../src/server/index.ts'
import { listenRaw, parseRaw, rawRequest } from '../../attacks/raw.ts'
import { createRandom } from '../../shared/random.ts'
import { testSite } from '../../test-site.ts'

t.test('a path is written as encodeURI writes it', async (t) => {
  const targets = [
    ['/it%27s', "/it's"],
    ['/%28%29%21%2a~%7E', '/()!*~~'],
    ['/gesch%c3%bctzt', '/gesch%C3%BCtzt'],
    ['/a%20b%2f%2F%3f%3F%23%25', '/a%20b%2F%2F%3F%3F%23%25'],
    ['/%26%24%2b%2C%3a%3B%3d%40', '/&$+,:;=@'],
    ['/[x]|^`{}"<>\\', '/%5Bx%5D%7C%5E%60%7B%7D%22%3C%3E%5C'],
    ['/\u00fc', '/%C3%BC'],
    ['/%2541%252f', '/%2541%252f'],
    ['/%41?%41#%41', '/A?%41#%41'],
    ['http://other.example/%61dmin', '/admin'],
    ['/%zz%61', '/%zz%61'],
    ['/%6%31', '/%6%31'],
    ['/%ff%61', '/%ff%61'],
    ['/%C0%80', '/%C0%80'],
    ['*', '*'],
  ] as const
  const written = targets.map(([target]) => [target, plainTarget(target)])
  t.strictSame(written, targets)
  const again = targets.map(([target, plain]) => [target, plainTarget(plain)])
  t.strictSame(again, targets, 'a second time changes nothing')
})

const SIGNS: readonly [string, ...string[]] = [
  '/',
  ...'abcAZ09-._~!$&\'()*+,;=:@/?#%[]{}|^`\\"<> \u00e4\u00df\u20ac\u{1f600}\u0000\n',
]
const random = createRandom(7)

/** Returns one of the spellings of a text in a path. */
function spell(text: string): string {
  return [...text]
    .map((sign) => {
      // An encoded slash makes another path, even if a catch-all decodes it.
      if (sign === '/') return sign
      const codes = [...Buffer.from(sign)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      const mayStand = /[\w/.~!$&'()*+,;=:@[\]{}|^`\\"<>-]/.test(sign)
      return random.pick([codes, codes.toUpperCase(), ...(mayStand ? [sign, sign] : [])])
    })
    .join('')
}

type Send = Awaited<ReturnType<typeof listenRaw>>['send']

/** The server responds with the path that hooks see and the path that the router has read. */
async function checkSpellings(t: Test, send: Send) {
  let same = 0
  const different: unknown[] = []
  for (let count = 0; count < 150; count++) {
    const text = Array.from({ length: 1 + random.below(6) }, () => random.pick(SIGNS)).join('')
    const known = new Map<string, string>()
    for (let spelling = 0; spelling < 4; spelling++) {
      const target = `/x/${spell(text)}`
      const answer = parseRaw(await send(rawRequest(`GET ${target} HTTP/1.1`, ['Host: a', 'Accept: application/json'])))
      if (answer.status !== 200) continue
      const { url, read } = JSON.parse(answer.body) as { url: string; read: string }
      if (known.has(read)) same++
      const other = known.get(read) ?? url
      if (other !== url) different.push({ text, target, url, other })
      known.set(read, url)
    }
  }
  t.strictSame(different, [])
  t.ok(same > 200, `${same} were the same path for the router`)
}

type Asked = Pick<FastifyRequest, 'url' | 'params' | 'routeOptions'>

const tell = ({ url, params, routeOptions }: Asked) => ({ url, read: JSON.stringify([routeOptions.url, params]) })

t.test('two spellings of one path are the same for hooks', async (t) => {
  async function server(app: FastifyInstance) {
    app.addHook('onRequest', async (request, reply) => {
      if (request.url.startsWith('/x/')) await reply.send(tell(request))
    })
  }
  const { app } = await testSite(t, { '/x/[id]': {}, '/x/[...rest]': {}, "/x/it's": {} }, { server })
  await checkSpellings(t, (await listenRaw(t, app)).send)
})

t.test('also in an app with `rewriteUrl`', async (t) => {
  const app = Fastify({ rewriteUrl, routerOptions: { maxParamLength: 1_000 } })
  for (const url of ['/x/:id', '/x/*', "/x/a'b"]) app.get(url, async (request) => tell(request))
  t.teardown(() => app.close())
  await checkSpellings(t, (await listenRaw(t, app)).send)
})
