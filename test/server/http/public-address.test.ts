import Fastify, { type FastifyServerOptions } from 'fastify'
import t from 'tap'
import { type PublicAddress, publicAddress } from '../../../src/server/http/request-url.ts'
import type { LoadContext } from '../../../src/server/index.ts'
import { createRandom } from '../../shared/random.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

async function addressOf(headers: Record<string, string>, options: FastifyServerOptions = {}): Promise<PublicAddress> {
  const app = Fastify(options)
  app.get('/', async (request) => publicAddress(request))
  const response = await app.inject({ url: '/', headers })
  await app.close()
  return response.json()
}

const UNKNOWN = { host: 'this site', origin: 'http://localhost' }

t.test('the host is that of the address bar', async (t) => {
  const hosts = [
    ['shop.example', { host: 'shop.example', origin: 'http://shop.example' }],
    ['shop.example:8080', { host: 'shop.example', origin: 'http://shop.example:8080' }],
    ['SHOP.Example', { host: 'shop.example', origin: 'http://shop.example' }],
    ['localhost:3000', { host: 'localhost', origin: 'http://localhost:3000' }],
    ['127.0.0.1:3000', { host: '127.0.0.1', origin: 'http://127.0.0.1:3000' }],
    ['[::1]:3000', { host: '[::1]', origin: 'http://[::1]:3000' }],
    ['[2001:DB8::1]', { host: '[2001:db8::1]', origin: 'http://[2001:db8::1]' }],
    ['xn--bcher-kva.example', { host: 'xn--bcher-kva.example', origin: 'http://xn--bcher-kva.example' }],
    ['my_host', { host: 'my_host', origin: 'http://my_host' }],
  ] as const
  const read = await Promise.all(hosts.map(async ([host]) => [host, await addressOf({ host })]))
  t.strictSame(read, hosts)
})

t.test('an invalid host name is not used', async (t) => {
  const invalid = [
    'a b',
    'shop.example/path',
    'user@shop.example',
    '<script>',
    '"shop"',
    'shop.example:port',
    'shop.example:99999',
    'shop.example:80:90',
    'a..b',
    '.example',
    '-',
    '-a.example',
    '[::1',
    '::1',
    '[::1]x',
    '[:::::]',
    '[zz]',
    'a\\b',
    'a%20b',
    'a?b',
    'a#b',
    'a,b',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(200)}example`,
    'x'.repeat(5_000),
  ]
  const read = await Promise.all(invalid.map(async (host) => [host, await addressOf({ host })]))
  t.strictSame(
    read,
    invalid.map((host) => [host, UNKNOWN]),
  )
})

t.test('any bytes give a host that is safe in a page', async (t) => {
  const random = createRandom(21)
  const alphabet = 'ab1.-_:[]<>"\'&/\\@?# %é;,()'
  const app = Fastify()
  app.get('/', async (request) => publicAddress(request))
  for (let round = 0; round < 300; round++) {
    const host = random.text(1 + random.below(12), alphabet)
    const { host: said, origin } = (await app.inject({ url: '/', headers: { host } })).json<PublicAddress>()
    const isSafe =
      /^(?:this site|[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(said) &&
      URL.canParse(origin) &&
      new URL(origin).origin.startsWith('http://')
    if (!isSafe) t.fail(JSON.stringify({ host, said, origin }))
  }
  await app.close()
})

t.test('forwarded headers count only from a trusted proxy', async (t) => {
  const headers = { host: '10.0.0.5:3000', 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' }
  t.match(await addressOf(headers), { host: '10.0.0.5', origin: 'http://10.0.0.5:3000' })
  t.strictSame(await addressOf(headers, { trustProxy: true }), { host: 'shop.example', origin: 'https://shop.example' })
  t.match(await addressOf(headers, { trustProxy: '10.9.9.9' }), { host: '10.0.0.5' }, 'another proxy is trusted')
  t.strictSame(await addressOf({ ...headers, 'x-forwarded-host': 'shop.example:8443' }, { trustProxy: true }), {
    host: 'shop.example',
    origin: 'https://shop.example:8443',
  })
  t.strictSame(await addressOf({ ...headers, 'x-forwarded-host': '<script>' }, { trustProxy: true }), UNKNOWN)
  t.match(await addressOf({ ...headers, 'x-forwarded-proto': 'javascript' }, { trustProxy: true }), {
    origin: 'http://shop.example',
  })
})

t.test('the sentence names the public host', async (t) => {
  const site = {
    '/': {
      load({ url }: LoadContext) {
        throw new Error(`no ${url.href}`)
      },
    },
  }
  const direct = await testSite(t, site)
  const proxied = await testSite(t, site, { trustProxy: 'loopback' })
  const forwarded = { host: 'internal:3000', 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' }
  for (const [served, headers, host, href] of [
    [direct, { host: 'shop.example:8080' }, 'shop.example', 'http://shop.example:8080/'],
    [direct, forwarded, 'internal', 'http://internal:3000/'],
    [proxied, forwarded, 'shop.example', 'https://shop.example/'],
    [direct, { host: '"><script>alert(1)</script>' }, 'this site', 'http://localhost/'],
  ] as const) {
    const page = await served.get('/', { ...HTML, ...headers })
    t.match(page.body, `exception has occurred while loading ${host} (see the server logs`)
    t.notMatch(page.body, 'alert(1)')
    t.match(served.failuresOf(page), [{ host, err: { message: `no ${href}` } }])
    const problem = await served.get('/', { ...JSON_ONLY, ...headers })
    t.match(problem.json(), {
      detail: `Application error: a server-side exception has occurred while loading ${host} (see the server logs for more information).`,
    })
  }
})
