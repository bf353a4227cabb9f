import t from 'tap'
import { EARLY_SCRIPT } from '../../src/shared/wire/early-events.ts'
import { digestLine, serverSentence } from '../../src/shared/wire/public-error.ts'
import { findDifferences } from '../differences.ts'
import { createHttpClient } from '../http-client.ts'
import { ERROR, shareSite } from '../site-server.ts'
import { textOf } from './html.ts'

const site = await shareSite(t)
const http = createHttpClient(t)

/** A failure before the shell, one after it, and one in a site's own page. */
const PATHS = ['/failures/f3/fail', '/failures/f4/fail', '/failures/own/fail']

const NO_HOSTS = [
  '"><script>alert(1)</script>',
  'public.example/evil',
  'user:secret@public.example',
  'public.example:80:80',
  'a b.example',
  '..',
  '[::1',
  `${'a'.repeat(300)}.example`,
]

t.test('an invalid host is never shown', async (t) => {
  const requests = ['host', 'x-forwarded-host'].flatMap((name) =>
    NO_HOSTS.flatMap((value) => PATHS.map((path) => ({ path, name, value }))),
  )
  const nameOf = ({ path, name, value }: (typeof requests)[number]) => `${path}, ${name}: ${value}`
  const differences = await findDifferences(requests, nameOf, async (checks, { path, name, value }) => {
    const { status, headers, body } = await http.send({ port: site.port, path, headers: { [name]: value } })
    checks.lacks(body.replace(EARLY_SCRIPT, ''), value, 'the host is not repeated')
    if (status === 400) return
    checks.match(textOf(body), serverSentence('this site'), 'the sentence does without it')
    checks.lacks(JSON.stringify(headers), value, 'in the headers neither')
  })
  t.strictSame(differences, {})
})

t.test('a valid host is shown in lower case and without its port', async (t) => {
  for (const host of ['Shop.Example:8443', 'shop.example', 'SHOP.EXAMPLE:80']) {
    const { body } = await http.send({ port: site.port, path: '/failures/f3/fail', headers: { host } })
    t.ok(textOf(body).includes(serverSentence('shop.example')), host)
  }
  const headers = { host: '[::1]:8080' }
  const { body } = await http.send({ port: site.port, path: '/failures/f3/fail', headers })
  t.ok(textOf(body).includes(serverSentence('[::1]')), 'also an address')
})

const FIELD = '<input type="hidden" name="c" value="&#60;/noscript&#62;&#60;img src=x&#62;">'

t.test('the query is kept for Try again and is never markup', async (t) => {
  const query = new URLSearchParams({
    a: '"><script>alert(1)</script>',
    b: '</script><!--',
    c: '</noscript><img src=x>',
  })
  for (const path of PATHS) {
    await t.test(path, async (t) => {
      const { body } = await http.send({ port: site.port, path: `${path}?${query}` })
      t.notMatch(body, /<script>alert|<img src|<\/script><!--/, 'nothing of it is markup')
      const own = path.includes('own')
      if (!own) t.ok(body.includes(FIELD), 'it goes along as hidden fields')
    })
  }
})

t.test('a digest in the request is never used', async (t) => {
  const digest = '7K3M9QZD-0F4XTB'
  const { headers, body } = await http.send({
    port: site.port,
    path: '/failures/f3/fail',
    headers: { 'x-error-digest': digest, 'x-request-id': 'mine' },
  })
  t.not(headers['x-error-digest'], digest)
  t.not(headers['x-request-id'], 'mine')
  t.notOk(body.includes(digest))
})

t.test('HEAD has the headers of a failure without a body', async (t) => {
  const statuses = {
    '/failures/f3/fail': 500,
    '/failures/f12/fail': 404,
    '/failures/own/refused': 403,
    '/failures/f15/fail': 504,
  }
  const differences = await findDifferences(Object.entries(statuses), String, async (checks, [path, status]) => {
    const [got, head] = await Promise.all(['GET', 'HEAD'].map((method) => http.send({ port: site.port, path, method })))
    if (!got || !head) throw new Error('no answer')
    checks.equal([head.status, head.body], [status, ''], 'status and body')
    for (const name of ['cache-control', 'vary', 'content-type'])
      checks.equal(head.headers[name], got.headers[name], name)
    await site.settleLog()
    const errors = site.linesOf(String(head.headers['x-request-id'])).filter(({ level }) => level === ERROR)
    checks.equal(errors.length, status >= 500 ? 1 : 0, 'one error line for a failure')
    checks.equal(head.headers['x-error-digest'], errors[0]?.digest, 'digest')
  })
  t.strictSame(differences, {})
})

t.test('the visitor’s secrets stay out of the log', async (t) => {
  const secret = 'k7Qz-very-secret-p4ss'
  const { headers, body } = await http.send({
    port: site.port,
    path: `/failures/f3/fail?token=${secret}&password=${secret}`,
    headers: { authorization: `Bearer ${secret}`, cookie: `session=${secret}` },
  })
  await site.settleLog()
  const lines = site.linesOf(String(headers['x-request-id']))
  t.equal(lines.length, 1)
  t.notMatch(JSON.stringify(lines), secret)
  t.ok(body.includes(digestLine(lines[0]?.digest ?? '(none)')))
})
