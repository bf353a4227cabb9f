// Hostile forms, bodies and queries for pages with schemas.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { findFailing } from '../find-failing.ts'
import { HTML, JSON_ONLY, serve } from '../server/served.ts'
import { createRandom } from '../shared/random.ts'

const dir = await buildApp(t, 'schemas')
const { app, log } = await serve(t, dir)
const FORM = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }
const send = (url: string, payload: string, headers: Record<string, string> = FORM) =>
  app.inject({ method: 'POST', url, payload, headers })

const PARTS = [
  'name',
  'items',
  'topics',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  '~standard',
  '$$typeof',
]
const SYNTAX = ['.', '[', ']', '[0]', '[]', '[999999999]', '%00', '%5B', '..', '']

t.test('no names make a page fail, or change what objects inherit', async (t) => {
  const random = createRandom(23)
  const name = () =>
    Array.from(
      { length: 1 + random.below(5) },
      () => random.pick(PARTS as [string]) + random.pick(SYNTAX as [string]),
    ).join('')
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  const forms = Array.from({ length: 150 }, () =>
    Array.from({ length: 1 + random.below(8) }, () => `${name()}=${random.text(3, '<>"a1')}`).join('&'),
  )
  const failing = await findFailing(forms, async (fields) => {
    const responses = [
      await send('/signup', fields),
      await send('/valibot', fields),
      await send('/arktype', fields),
      await app.inject({ url: `/products?${fields}`, headers: HTML }),
    ]
    const statuses = responses.map(({ statusCode }) => statusCode)
    return statuses.every((status) => [200, 400, 422].includes(status)) ? undefined : statuses
  })
  t.strictSame(failing, [])
  t.strictSame(Object.getOwnPropertyNames(Object.prototype), inherited)
  t.strictSame(log.errors(), [])
})

t.test('no JSON body makes a page fail', async (t) => {
  const json = { ...JSON_ONLY, 'content-type': 'application/json' }
  const bodies = [
    'null',
    '[]',
    '"x"',
    '1',
    '{"items":{"length":1e9}}',
    '{"name":{"toString":null}}',
    `${'['.repeat(400)}${']'.repeat(400)}`,
  ]
  const failing = await findFailing(
    ['/signup', '/valibot', '/arktype'].flatMap((url) => bodies.map((body) => ({ url, body }))),
    async ({ url, body }) => (await send(url, body, json)).statusCode,
    () => 422,
  )
  t.strictSame(failing, [])
  t.equal((await send('/signup', '{"__proto__":{"name":"x"}}', json)).statusCode, 400)
  t.strictSame(log.errors(), [])
})

t.test('a page shows typed text and names only as text', async (t) => {
  const evil = '"><script>alert(1)</script>'
  const { statusCode, body } = await send(
    '/signup',
    `name=${encodeURIComponent(evil)}&email=${encodeURIComponent(evil)}`,
  )
  t.equal(statusCode, 422)
  t.notMatch(body, '<script>alert')
  t.match(body, '&lt;script&gt;alert(1)')
  t.match(body, '\\u003cscript>alert(1)', 'in the boot data')
  const query = await app.inject({ url: `/products?page=${encodeURIComponent(evil)}`, headers: HTML })
  t.equal(query.statusCode, 400)
  t.notMatch(query.body, '<script>alert')
})

t.test('many fields and many issues end', async (t) => {
  const items = Array.from({ length: 900 }, (_, index) => `items[${index}].name=`).join('&')
  const { statusCode, body } = await send('/signup', `password=hunter2&${items}`)
  t.equal(statusCode, 422)
  t.match(body, 'items[899].name')
  t.equal((await send('/signup', `${items}&${'x=1&'.repeat(200)}`)).statusCode, 413, 'more than forms.maxFields')
})
