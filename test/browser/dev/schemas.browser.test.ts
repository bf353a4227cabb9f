/// <reference lib="dom" />

// Schemas under `hydrant dev`, whose edits take effect without a reload, and notes about mistakes that no response shows.

import t from 'tap'
import { startDevSite } from './dev-site.ts'

const site = await startDevSite(t, 'dev')

t.test('a page has its fields, and an edit of the schema changes them in place', async (t) => {
  const { page, says, errors, evaluate } = await site.open('/schemas?page=2')
  await says('#search', '2')
  t.equal(await page.getAttribute('#name', 'minlength'), '3')
  await page.fill('#name', 'A')
  await page.click('#send')
  await says('#error', 'Too short')
  await page.waitForFunction(() => document.activeElement?.id === 'name')
  t.equal(await page.inputValue('#name'), 'A')
  await evaluate(() => document.documentElement.setAttribute('data-mark', ''), null)
  site.edit('pages/schemas/index.server.ts', "min(3, 'Too short')", "min(2, 'Far too short')")
  await page.waitForSelector('#name[minlength="2"]')
  t.equal(await page.inputValue('#name'), 'A')
  await page.click('#send')
  await says('#error', 'Far too short')
  await page.fill('#name', 'Ada')
  await page.click('#send')
  await says('#done', 'Hello Ada')
  t.ok(await evaluate(() => document.documentElement.hasAttribute('data-mark'), null), 'in the same document')
  t.strictSame(errors, [])
})

t.test('a page without a form has no fields, as in production', async (t) => {
  const { says, errors } = await site.open('/schemas/plain')
  await says('#fields', 'undefined')
  t.strictSame(errors, [])
})

t.test('the log says which parameter does not match the schema, and why', async () => {
  const ask = async () => (await fetch(new URL('/schemas/books/7', site.url))).text()
  await ask()
  const schema = 'the parameters do not match the schema "params" of pages/schemas/books/\\[id\\]\\.server\\.ts'
  await site.dev.waitFor(new RegExp(`WARN: 404, because ${schema}: idd: .*; the path has no parameter "idd", only id$`))
  site.write(
    'pages/schemas/books/[id].server.ts',
    "import { z } from 'zod'\nexport const params = z.object({ id: z.coerce.number().max(5) })\n",
  )
  await site.dev.waitFor(/^updated in/)
  await ask()
  await site.dev.waitFor(new RegExp(`INFO: 404, because ${schema}: id: (?!.*the path has no)`))
})

t.test('the log says why a form was not accepted, and which fields it does not have', async () => {
  await (await post('/schemas', 'nmae=Ada&x=1')).text()
  await site.dev.waitFor(/INFO: the form was not accepted: name: .+; the request has no field "name", only nmae, x$/)
  await (await post('/schemas', 'name=A')).text()
  await site.dev.waitFor(/INFO: the form was not accepted: name: Far too short$/)
})

t.test('the log says which export would handle the form of a page without an action', async (t) => {
  const response = await post('/schemas/plain', 'name=A')
  t.equal(response.status, 405)
  t.match(await response.text(), 'POST is not allowed here.')
  await site.dev.waitFor(/INFO: 405, because there is no pages\/schemas\/plain\.server\.ts with an export "action"$/)
  await (await post('/schemas/books/3', 'name=A')).text()
  await site.dev.waitFor(/INFO: 405, because pages\/schemas\/books\/\[id\]\.server\.ts has no export "action"$/)
})

t.test('a redirect or notFound() that a catch of the site has caught is a warning', async (t) => {
  const ask = (query: string) => fetch(new URL(`/schemas/caught${query}`, site.url), { redirect: 'manual' })
  t.equal((await ask('?passed')).status, 302)
  t.equal((await ask('?none')).status, 200)
  await site.dev.waitFor(
    /WARN: notFound\(\) in pages\/schemas\/caught\.server\.ts:5:\d+ has not reached Hydrant, .* throw error;/,
  )
  t.notOk(site.dev.lines.some((line) => /redirect\(.*has not reached/.test(line)))
})

t.test('a message of invalidForm for a field that the schema does not have is a warning', async (t) => {
  const { page, errors } = await site.open('/schemas/join')
  await page.click('#send')
  const { lines } = site.dev
  await site.dev.waitFor(
    /WARN: invalidForm\(\) at pages\/schemas\/join\.server\.ts:10:\d+ has a message for "nmae", .*; did you mean "name"\?/,
  )
  await site.dev.waitFor(/has a message for "items\[0\]\.titel", .*; did you mean "items\[0\]\.title"\?/)
  t.equal(lines.filter((line) => line.includes('has a message for')).length, 2, lines.join('\n'))
  t.strictSame(errors, [])
})

function post(path: string, body: string): Promise<Response> {
  return fetch(new URL(path, site.url), {
    method: 'POST',
    headers: {
      accept: 'text/html',
      origin: new URL(site.url).origin,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body,
  })
}
