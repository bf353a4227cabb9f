import Fastify from 'fastify'
import t from 'tap'
import { hydrant } from '../../../src/server/plugin.ts'
import { writeTestSite } from '../../test-site.ts'
import { HTML, JSON_ONLY, serve } from '../served.ts'

const HOSTS = ['shop.example', '*.branch.example', '[::1]']

const site = { '/': { load: () => ({ a: 1 }), action: () => ({ done: true }) } }
const dir = writeTestSite(t.testdir({}), site, { publicFiles: { 'robots.txt': 'User-agent: *\n' } })

t.test('the hosts of the option are served, whatever their port and case', async (t) => {
  const { get } = await serve(t, dir, { hosts: HOSTS })
  for (const host of [
    'shop.example',
    'shop.example:8080',
    'SHOP.example',
    'a.branch.example',
    'a.b.branch.example',
    '[::1]:3000',
  ])
    t.equal((await get('/', { ...HTML, host })).statusCode, 200, host)
})

t.test('other hosts get 421 for every path, and the response does not contain their name', async (t) => {
  const { app, get, log } = await serve(t, dir, { hosts: HOSTS })
  const asset =
    /\/_hydrant\/assets\/[\w.-]+\.js/.exec((await get('/', { ...HTML, host: 'shop.example' })).body)?.[0] ?? ''
  t.match(asset, /^\//)
  const others: unknown[] = []
  for (const host of ['evil.example', 'branch.example', 'shop.example.evil', 'evilshop.example', '"><script>', '']) {
    for (const url of ['/', '/nowhere', '/robots.txt', asset, '/?_hydrant']) {
      const { statusCode, headers, body } = await get(url, { ...HTML, host })
      const isRefused = statusCode === 421 && String(headers['cache-control']).includes('no-store')
      const isNamed = host !== '' && JSON.stringify([body, headers]).includes(host)
      if (!isRefused || isNamed || !body.includes('This host is not served here.'))
        others.push({ host, url, statusCode, headers, body })
    }
  }
  t.strictSame(others, [])
  const malformed = await get('/%zz', { ...HTML, host: 'evil.example' })
  t.equal(malformed.statusCode, 400)
  t.notMatch(malformed.body, 'evil.example', 'also if the URL is malformed')
  const problem = await get('/', { ...JSON_ONLY, host: 'evil.example' })
  t.match(problem.json(), {
    status: 421,
    title: 'Misdirected Request',
    detail: 'This host is not served here.',
    instance: '/',
  })
  const posted = await app.inject({ method: 'POST', url: '/', headers: { host: 'evil.example' }, payload: { a: 1 } })
  t.equal(posted.statusCode, 421)
  const line = log.lines.find(({ msg }) => msg.startsWith('refused with 421'))
  t.match(line, { level: 30, method: 'GET', url: '/', host: 'evil.example', statusCode: 421 })
})

t.test('behind a trusted proxy, the public host counts', async (t) => {
  const { get } = await serve(t, dir, { hosts: HOSTS, trustProxy: true })
  const forwarded = (host: string) => get('/', { ...HTML, host: 'upstream', 'x-forwarded-host': host })
  t.equal((await forwarded('shop.example')).statusCode, 200)
  t.equal((await forwarded('evil.example')).statusCode, 421)
  const { get: direct } = await serve(t, dir, { hosts: HOSTS })
  const untrusted = await direct('/', { ...HTML, host: 'evil.example', 'x-forwarded-host': 'shop.example' })
  t.equal(untrusted.statusCode, 421, 'a header that is not trusted does not count')
})

t.test('in an app, it applies to the site and not to the routes of the app', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.get('/own', async () => 'own')
  await app.register(hydrant, { dir, hosts: HOSTS, prefix: '/site' })
  const headers = { ...HTML, host: 'evil.example' }
  t.equal((await app.inject({ url: '/own', headers })).statusCode, 200)
  t.equal((await app.inject({ url: '/site', headers })).statusCode, 421)
  t.equal((await app.inject({ url: '/site', headers: { ...HTML, host: 'shop.example' } })).statusCode, 200)
})
