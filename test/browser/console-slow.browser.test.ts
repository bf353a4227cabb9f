/// <reference lib="dom" />

import t from 'tap'
import { serveAdmin } from '../server/admin/served-admin.ts'
import { keepTimes, requestOf, slowShop, stepOf, timesOf } from '../server/ledger/slow-times.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { measureOverflow, NARROW, NO_OVERFLOW } from './fonts.ts'

const chromium = await launchChromium(t)
const HOUR = 3_600_000
const HOSTILE = '<img src=x onerror="document.title=1"> & </script><b>bold</b>'

async function serveShop(age = 0) {
  const admin = await serveAdmin(t)
  const now = Date.now()
  await keepTimes(admin.store.ledger, slowShop(now), now - age)
  return admin
}

/** Returns what is missing for a screen reader in the tables of a page. */
function findTableProblems(): string[] {
  return [...document.querySelectorAll('table')].flatMap((table) => [
    ...(table.caption?.textContent ? [] : ['a table without a caption']),
    ...[...table.querySelectorAll('th')].flatMap((cell) => [
      ...(cell.scope === (cell.closest('thead') ? 'col' : 'row') ? [] : [`no scope: ${cell.textContent}`]),
      ...(cell.textContent === '' ? ['an empty header'] : []),
    ]),
    ...[...table.querySelectorAll('svg')].flatMap((chart) =>
      chart.getAttribute('aria-hidden') === 'true' ? [] : ['a chart without text'],
    ),
    ...(table.parentElement?.matches('[tabindex="0"][role=group][aria-labelledby]')
      ? []
      : ['the keyboard cannot scroll']),
  ])
}

const rowsOf = ({ evaluate }: OpenPage) =>
  evaluate(
    () =>
      [...document.querySelectorAll<HTMLElement>('section[aria-labelledby=routes] tbody tr')].map((row) =>
        row.innerText.replace(/\s+/g, ' ').trim(),
      ),
    null,
  )

for (const javaScript of [true, false]) {
  const way = javaScript ? 'with JavaScript' : 'without JavaScript'

  t.test(`leads from the cause to the steps of a request ${way}`, async (t) => {
    const admin = await serveShop()
    const open = await chromium.open({ javaScript }, t)
    const { page } = open
    await open.goto(admin.origin, 'load')
    if (javaScript) await open.hydrated()
    await page.getByRole('link', { name: 'Slow', exact: true }).click()
    await page.getByRole('heading', { name: 'Mend first' }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Slow', exact: true }).getAttribute('aria-current'), 'page')
    t.match(
      (await open.read('section[aria-labelledby=first]')).replace(/\s+/g, ' '),
      'Mend first load pages/products/[id].server.ts:12 of /products/[id], 83 % of all time runs one after another',
    )
    const rows = await rowsOf(open)
    t.strictSame(rows.slice(0, 3), [
      '/products/[id] 90 % 400 798 ms 1.2 s 1.3 s',
      'load pages/products/[id].server.ts:12 83 % 400 735 ms 1.2 s 1.2 s',
      'runs one after another: data/stock.ts:8 (425 ms), data/reviews.ts:21 (295 ms); start those together that do not need each other (Promise.all)',
    ])
    t.equal(rows.at(-2), 'of no known step <1 % 3 72 ms 417 ms 419 ms')
    t.strictSame(await open.evaluate(findTableProblems, null), [])
    await page.getByRole('link', { name: '8MZ2K0QV-3' }).click()
    await page.getByRole('heading', { level: 1, name: 'GET /products/7: 1.3 s' }).waitFor()
    t.strictSame(await page.locator('tbody th').allInnerTexts(), [
      ...['guard pages/layout.server.ts:4', 'load pages/products/[id].server.ts:12', 'load pages/layout.server.ts:11'],
      ...['perRequest data/stock.ts:8', 'perRequest data/reviews.ts:21', 'render'],
    ])
    t.strictSame(await open.evaluate(findTableProblems, null), [])
    t.equal(await open.count('.site-pages [aria-current]'), 1)
    t.strictSame(open.errors, [])
  })

  t.test(`shows the last hour or day ${way}`, async (t) => {
    const admin = await serveShop(3 * HOUR)
    const open = await chromium.open({ javaScript }, t)
    const { page } = open
    await open.goto(`${admin.origin}/slow`, 'load')
    if (javaScript) await open.hydrated()
    t.match(await open.read('main'), 'No request was measured in this time.')
    t.match(await open.read('main'), 'The server writes the times every 30 seconds')
    await page.getByRole('link', { name: 'Last 24 hours' }).click()
    await page.getByRole('heading', { name: 'Mend first' }).waitFor()
    const chosen = page.locator('nav[aria-label=Time] [aria-current=page]')
    t.equal(await chosen.innerText(), 'Last 24 hours')
    await open.goto(`${admin.origin}/slow?since=9d&route=/x`, 'load')
    t.match(await open.read('main [role=alert]'), 'An invalid part of the address is ignored: "since" must be like 10m')
    t.match(await open.read('main'), 'No request of /x was measured')
    t.equal(await chosen.innerText(), 'Last hour')
    t.strictSame(open.errors, [])
  })

  t.test(`the search field finds the id of a request ${way}`, async (t) => {
    const admin = await serveShop()
    const open = await chromium.open({ javaScript }, t)
    const { page } = open
    await open.goto(admin.origin, 'load')
    if (javaScript) await open.hydrated()
    await page.getByLabel('Digest or request id').fill(' 8mz2k0qv-9 ')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.waitForURL(/\/slow\/8MZ2K0QV-9$/)
    await page.getByRole('heading', { level: 1, name: 'GET /reports: 3.9 s' }).waitFor()
    t.match(await open.read('main'), 'the page cache does not store it: pass: read')
    const unknown = await open.goto(`${admin.origin}/slow/8MZ2K0QV-4`, 'load')
    t.equal(unknown.status(), 404)
    t.match(await open.read('main'), 'only if it was among the slowest of its route')
    t.strictSame(open.errors, [])
  })
}

t.test('shows texts of requests as plain text, and fits on a phone', async (t) => {
  const admin = await serveAdmin(t)
  const steps = [stepOf('load', HOSTILE, 0, 500, { blockedMs: 400 }), stepOf('render', '', 500, 900)]
  const texts = { route: HOSTILE, path: HOSTILE, release: HOSTILE, cache: `pass: ${HOSTILE}` }
  const long = 'x'.repeat(200)
  await keepTimes(admin.store.ledger, {
    steps: [
      timesOf(HOSTILE, 'request', '', [900]),
      timesOf(HOSTILE, 'load', HOSTILE, [800]),
      timesOf(`/${long}`, 'request', '', [9]),
    ],
    requests: [requestOf('A-1', { ...texts, steps }), requestOf(long, { route: `/${long}`, path: `/${long}` })],
  })
  const open = await chromium.open({ width: NARROW, colorScheme: 'dark' }, t)
  for (const path of ['/slow', '/slow/A-1', `/slow/${long}`, `/slow/${encodeURIComponent(HOSTILE)}`]) {
    await open.goto(admin.origin + path, 'load')
    await open.hydrated()
    t.notOk(
      await open.evaluate(() => document.title === '1' || document.querySelector('main b, main img') !== null, null),
    )
    t.same(await measureOverflow(open), NO_OVERFLOW, path)
    t.strictSame(await open.evaluate(findTableProblems, null), [], path)
  }
  t.strictSame(open.errors, [])
})

t.test('says that the site has no ledger', async (t) => {
  const admin = await serveAdmin(t, { hasLedger: false })
  const open = await chromium.open({}, t)
  await open.goto(`${admin.origin}/slow`, 'load')
  t.match(await open.read('main'), 'No times are kept here, because the option “ledger” is false.')
})
