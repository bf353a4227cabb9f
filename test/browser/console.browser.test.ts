/// <reference lib="dom" />

import t from 'tap'
import { failureOf, serveAdmin } from '../server/admin/served-admin.ts'
import { launchChromium, type OpenPage, PUBLIC_HOST } from './chromium.ts'
import { measureOverflow, NARROW, NO_OVERFLOW } from './fonts.ts'

const TOKEN = 'correct-horse-battery'
const HOSTILE = '<img src=x onerror="document.title=1"> & </script><b>bold</b>'

const chromium = await launchChromium(t)

async function serveFilled(options: { token?: string } = {}) {
  const admin = await serveAdmin(t, options)
  await admin.keep(
    failureOf('7K2M9QX4-000001', { path: '/products/1', requestId: 'REQ-FIRST' }),
    failureOf('7K2M9QX4-000002', { path: '/products/2' }),
    failureOf('AAAAAAAA-000001', {
      side: 'client',
      phase: 'client',
      route: '/cart',
      error: { type: 'HostileError', message: HOSTILE, stack: [] },
    }),
  )
  return admin
}

/** Presses a button of a form that is posted, or follows a link in its response. */
async function press(open: OpenPage, selector: string, javaScript: boolean) {
  if (javaScript) await open.click(selector)
  else await Promise.all([open.page.waitForEvent('load'), open.click(selector)])
}

/** Resolves when the first matching element shows that text. Without JavaScript no text appears later. */
async function shows(open: OpenPage, selector: string, text: string, javaScript: boolean) {
  if (javaScript) return open.hasText(selector, text)
  const found = await open.read(selector)
  if (!found.includes(text)) throw new Error(`no ${text} in ${selector}: ${found}`)
}

const textOf = ({ read }: OpenPage, selector: string) => read(selector)

for (const javaScript of [true, false]) {
  const way = javaScript ? 'with JavaScript' : 'without JavaScript'

  t.test(`lists, filters and finds failures ${way}`, async (t) => {
    const admin = await serveFilled()
    const open = await chromium.open({ javaScript }, t)
    const { page } = open
    await open.goto(admin.origin, 'load')
    if (javaScript) await open.hydrated()
    t.equal(await page.getByRole('listitem').count(), 2)
    t.match(await textOf(open, 'main'), /TypeError Cannot read properties of undefined \(reading 'net'\)/)
    t.match(await textOf(open, 'main'), 'pages/products/[id].server.ts:12')
    t.match(await textOf(open, 'main'), HOSTILE)
    t.ok(
      await page.getByRole('img', { name: 'Last 24 hours: 2 in total, at most 2 per hour (in this hour)' }).isVisible(),
    )

    await page.getByLabel('Side').selectOption('client')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/side=client/)
    await page.getByRole('link', { name: /TypeError/ }).waitFor({ state: 'detached' })
    t.equal(await page.getByRole('listitem').count(), 1)
    t.equal(await page.getByLabel('Side').inputValue(), 'client')

    await page.getByLabel('Digest').fill('digest: 7k2m9qx4 oooooi')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.waitForURL(`${admin.origin}/failures/7K2M9QX4-000001`)
    await page.getByRole('heading', { name: 'The visitor’s request' }).waitFor()
    t.match(await textOf(open, 'main'), 'REQ-FIRST')
    t.match(await page.locator('mark').innerText(), 'return { price: product.price.net }')
    t.equal(await page.locator('tr[class] th').first().innerText(), '7K2M9QX4-000001', 'the one asked for comes first')

    await page.getByLabel('Digest').fill('7K2M9QX5')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('heading', { name: 'No such failure' }).waitFor()
    await page.getByRole('link', { name: '7K2M9QX4' }).click()
    await page.getByRole('heading', { name: 'TypeError', exact: true }).waitFor()
    t.strictSame(open.errors, [])
  })

  t.test(`says that the place is only the function ${way}`, async (t) => {
    const admin = await serveFilled()
    const stack = [
      { file: 'pages/a.server.ts', line: 3, column: 8, function: 'load', isSite: true, standIn: 'function' as const },
    ]
    await admin.keep(failureOf('AAAAAAAA-000001', { error: { type: 'string', message: 'kim', stack } }))
    const open = await chromium.open({ javaScript }, t)
    await open.goto(`${admin.origin}/failures/AAAAAAAA`, 'load')
    t.match(await textOf(open, 'main'), 'The thrown value is not an Error, so the place is only the function.')
    await open.goto(`${admin.origin}/failures/7K2M9QX4`, 'load')
    t.notMatch(await textOf(open, 'main'), 'The thrown value is not an Error')
  })

  t.test(`marks a failure as solved and opens it again ${way}`, async (t) => {
    const admin = await serveFilled()
    const open = await chromium.open({ javaScript }, t)
    await open.goto(`${admin.origin}/failures/7K2M9QX4`, 'load')
    if (javaScript) await open.hydrated()
    await press(open, '[value=solve]', javaScript)
    await shows(open, '[value=reopen]', 'Reopen', javaScript)
    t.type((await admin.store.ledger.read('7K2M9QX4'))?.solvedAt, 'number')
    t.equal(await open.evaluate(() => location.href, null), `${admin.origin}/failures/7K2M9QX4`)
    await open.goto(admin.origin, 'load')
    t.notMatch(await open.read('main'), 'TypeError', 'what is solved is not in the way')
    await open.goto(`${admin.origin}/?solved=true`, 'load')
    t.match(await open.read('main'), 'TypeError')
    await open.goto(`${admin.origin}/failures/7K2M9QX4-000001`, 'load')
    if (javaScript) await open.hydrated()
    await press(open, '[value=reopen]', javaScript)
    await shows(open, '[value=solve]', 'Mark as solved', javaScript)
    t.equal((await admin.store.ledger.read('7K2M9QX4'))?.solvedAt, null)
    t.strictSame(open.errors, [])
  })

  t.test(`asks for the token ${way}`, async (t) => {
    const { port } = await serveFilled({ token: TOKEN })
    // Uses another host name, to which browsers send the fewest headers over plain http.
    const origin = `http://${PUBLIC_HOST}:${port}`
    const open = await chromium.open({ javaScript }, t)
    const { page } = open
    await open.goto(`${origin}/failures/7K2M9QX4`, 'load')
    if (javaScript) await open.hydrated()
    t.equal(new URL(page.url()).pathname, '/sign-in')
    await open.fill('#token', 'not-the-token-at-all')
    await press(open, 'main button', javaScript)
    await shows(open, '[role=alert]', 'The token is wrong.', javaScript)
    await open.fill('#token', TOKEN)
    await press(open, 'main button', javaScript)
    await shows(open, 'h1', 'TypeError', javaScript)
    t.equal(await open.evaluate(() => location.href, null), `${origin}/failures/7K2M9QX4`)
    const [cookie] = await page.context().cookies()
    t.match(cookie, { httpOnly: true, sameSite: 'Strict' })
    t.notOk(cookie?.value.includes(TOKEN))
    await press(open, '[value=out]', javaScript)
    await shows(open, 'h1', 'Sign in', javaScript)
    await open.goto(origin, 'load')
    t.equal(new URL(page.url()).pathname, '/sign-in')
    t.strictSame(open.errors, [])
  })
}

t.test('new failures appear in the list automatically, and move neither focus nor scroll', async (t) => {
  const admin = await serveFilled()
  const open = await chromium.open({}, t)
  const { page } = open
  await open.goto(admin.origin, 'load')
  await open.hydrated()
  await page.getByLabel('Text').fill('half typed')
  await open.evaluate(() => {
    document.body.style.minHeight = '3000px'
    scrollTo(0, 200)
  }, null)
  const failures = [failureOf('BBBBBBBB-000001', { error: { type: 'LateError', message: 'it came later', stack: [] } })]
  await admin.keep(...failures)
  await page.getByRole('link', { name: 'LateError it came later' }).waitFor()
  t.equal(await page.getByLabel('Text').inputValue(), 'half typed')
  t.equal(await open.evaluate(() => document.activeElement?.getAttribute('name'), null), 'search')
  t.equal(await open.evaluate(() => scrollY, null), 200)
  await admin.keep(failureOf('BBBBBBBB-000002'))
  await page.getByText('2 times').nth(1).waitFor()
  t.strictSame(open.errors, [])
})

t.test('the first failure replaces the note that there is none', async (t) => {
  const admin = await serveAdmin(t)
  const open = await chromium.open({}, t)
  await open.goto(admin.origin, 'load')
  await open.hydrated()
  await open.page.getByText('Nothing has failed yet.').waitFor()
  t.equal(await open.count('pre[tabindex="0"][aria-label]'), 1, 'the keyboard can scroll it')
  await admin.keep(failureOf('7K2M9QX4-000001'))
  await open.page.getByRole('link', { name: /TypeError/ }).waitFor()
  t.equal(await open.page.getByText('Nothing has failed yet.').count(), 0)
})

t.test('says when the connection for changes is lost', async () => {
  const admin = await serveFilled()
  const open = await chromium.open({}, t)
  const { page } = open
  const connected = page.waitForResponse((response) => response.headers()['content-type'] === 'text/event-stream')
  await open.goto(admin.origin, 'load')
  await connected
  await page.context().setOffline(true)
  await admin.close()
  await page.getByRole('status').getByText('The connection is lost').waitFor()
})

t.test('says when an occurrence is no longer kept', async (t) => {
  const admin = await serveFilled()
  const open = await chromium.open({}, t)
  await open.goto(`${admin.origin}/failures/7k2m9qx4-zzzzzz`, 'load')
  t.match(await textOf(open, 'main'), 'is no longer kept')
  t.match(await textOf(open, 'main'), 'return { price: product.price.net }')
})

t.test('shows texts of errors and browsers as plain text, and fits on a phone', async (t) => {
  const admin = await serveFilled()
  const open = await chromium.open({ width: NARROW, colorScheme: 'dark' }, t)
  for (const path of [
    '/',
    '/failures/AAAAAAAA',
    '/failures/7K2M9QX4-000001',
    `/find?${new URLSearchParams({ digest: HOSTILE })}`,
  ]) {
    await open.goto(admin.origin + path, 'load')
    await open.hydrated()
    t.notOk(
      await open.evaluate(() => document.title === '1' || document.querySelector('main b, main img') !== null, null),
    )
    t.same(await measureOverflow(open), NO_OVERFLOW, path)
    const unnamed =
      'button:empty, a:empty, input:not([id]):not(label input):not([type=hidden]), select:not(label select)'
    t.equal(await open.count(unnamed), 0, path)
    t.equal(await open.count('section[aria-labelledby] section[aria-labelledby]'), 0, 'each landmark has its own name')
  }
  t.strictSame(open.errors, [])
})
