/// <reference lib="dom" />

import t from 'tap'
import { createSiteCache } from '../../src/server/cache/app-page-cache.ts'
import { PageCache } from '../../src/server/cache/page-cache.ts'
import { failureOf, type ServedAdmin, serveAdmin } from '../server/admin/served-admin.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'
import { measureOverflow, NARROW, NO_OVERFLOW } from './fonts.ts'

const chromium = await launchChromium(t)
const HOUR = 3_600_000

async function serveMany(): Promise<ServedAdmin> {
  const admin = await serveAdmin(t)
  const now = Date.now()
  await admin.keep(
    ...Array.from({ length: 103 }, (_, index) =>
      failureOf(`${String(index).padStart(8, '0')}-000001`, { time: now - index * HOUR, release: '1.3.0' }),
    ),
    failureOf('7K2M9QX4-000001', { time: now - 500 * HOUR, release: '1.4.0' }),
    failureOf('7K2M9QX4-000002', { time: now - 500 * HOUR, release: '1.4.0' }),
  )
  return admin
}

for (const javaScript of [true, false]) {
  const way = javaScript ? 'with JavaScript' : 'without JavaScript'

  t.test(`a list is sorted, paged, and limited to new failures ${way}`, async (t) => {
    const admin = await serveMany()
    const open = await chromium.open({ javaScript }, t)
    const { page } = open
    await open.goto(admin.origin, 'load')
    if (javaScript) await open.hydrated()
    t.equal(await page.getByRole('listitem').count(), 100)
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL(/after=/)
    await page.getByRole('link', { name: 'First page' }).waitFor()
    t.equal(await page.getByRole('listitem').count(), 4)
    t.equal(await page.getByRole('link', { name: 'Next page' }).count(), 0)

    await page.getByLabel('Order').selectOption('count')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/sort=count/)
    await page.getByRole('listitem').first().getByText('7K2M9QX4', { exact: true }).waitFor()
    t.notMatch(page.url(), 'after=', 'from the beginning')

    await page.getByLabel('First seen').selectOption('true')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/new=true/)
    await page.getByRole('link', { name: 'Next page' }).waitFor({ state: 'detached' })
    t.equal(await page.getByRole('listitem').count(), 1, 'new in the release that is served')
    t.strictSame(await page.locator('select[name=release] option').allInnerTexts(), ['all', '1.3.0', '1.4.0'])
    t.strictSame(open.errors, [])
  })

  t.test(`a filter with an invalid value has its default, and is reported ${way}`, async (t) => {
    const admin = await serveMany()
    await admin.store.ledger.setSolved('00000000', Date.now())
    const open = await chromium.open({ javaScript }, t)
    const { page } = open
    await open.goto(`${admin.origin}/?sort=bad&solved=maybe&side=server`, 'load')
    if (javaScript) await open.hydrated()
    const choiceOf = (name: string) => page.locator(`select[name=${name}]`).inputValue()
    t.strictSame([await choiceOf('sort'), await choiceOf('solved'), await choiceOf('side')], ['', '', 'server'])
    t.equal(await page.locator('option[value=bad]').count(), 0, 'it is no option')
    const notice =
      'The list ignores invalid filters: "solved" must be true or false. "sort" must be last, first or count.'
    t.equal(await open.read('main [role=alert]'), notice)
    t.equal(await page.getByRole('listitem').count(), 100)
    t.notMatch(await open.read('main'), '00000000', 'only open failures')
    t.match(await page.getByRole('link', { name: 'Next page' }).getAttribute('href'), /^\/\?side=server&after=/)
    t.strictSame(open.errors, [])
  })

  t.test(`selected failures are marked together ${way}`, async (t) => {
    const admin = await serveMany()
    const open = await chromium.open({ javaScript }, t)
    const { page } = open
    // A form that is handled in place starts a navigation for which Playwright would wait.
    const isGone = (fingerprint: string) => until(async () => !(await open.read('main')).includes(fingerprint))
    await open.goto(`${admin.origin}/?sort=count`, 'load')
    if (javaScript) await open.hydrated()
    // Uses only the keyboard.
    for (const fingerprint of ['7K2M9QX4', '00000003']) {
      await page.getByLabel(`Select TypeError ${fingerprint}`).focus()
      await page.keyboard.press('Space')
    }
    await page.getByRole('button', { name: 'Mark selected as solved' }).focus()
    await page.keyboard.press('Enter')
    await isGone('7K2M9QX4')
    t.equal(await open.evaluate(() => location.search, null), '?sort=count')
    const solved = await admin.store.ledger.list({ isSolved: true })
    t.strictSame(solved.map(({ fingerprint }) => fingerprint).sort(), ['00000003', '7K2M9QX4'])

    await open.goto(`${admin.origin}/?solved=true`, 'load')
    if (javaScript) await open.hydrated()
    await page.getByLabel('Select TypeError 7K2M9QX4').check()
    await page.getByRole('button', { name: 'Reopen selected' }).focus()
    await page.keyboard.press('Enter')
    await isGone('7K2M9QX4')
    t.equal((await admin.store.ledger.list({ isSolved: true })).length, 1)
    t.strictSame(open.errors, [])
  })
}

for (const javaScript of [true, false]) {
  t.test(
    `the page cache is emptied with a button ${javaScript ? 'with JavaScript' : 'without JavaScript'}`,
    async (t) => {
      const cache = new PageCache(1_000_000)
      const times = { storedAt: Date.now(), freshMs: 60_000, staleMs: 0 }
      const page = { id: '1', body: 'text', headers: [], scripts: [], styles: [], ...times }
      cache.begin('a', '/products/[id]').store({ ...page, tags: ['product', 'x'.repeat(256)] })
      const admin = await serveAdmin(t, { caches: [createSiteCache(cache, cache, ['/products/[id]', '/news'])] })
      const open = await chromium.open({ javaScript, width: NARROW }, t)
      await open.goto(admin.origin, 'load')
      if (javaScript) await open.hydrated()
      await open.page.getByRole('link', { name: 'Page cache' }).click()
      await open.page.getByText('1 stored response,').waitFor()
      t.strictSame(await open.page.locator('tbody tr > th').allInnerTexts(), [
        ...['/products/[id]', '/news'],
        ...['product', 'x'.repeat(256)],
      ])
      if (javaScript) t.same(await measureOverflow(open), NO_OVERFLOW)
      t.equal(await open.count('main :has(> table)[tabindex="0"][role=group]'), 2, 'the keyboard can scroll them')
      await open.page.getByRole('button', { name: 'Empty the cache' }).click()
      await open.page.getByText('0 stored responses, 0 B').waitFor()
      t.equal(cache.find('a'), null)
      t.strictSame(open.errors, [])
    },
  )
}

t.test('times are also shown in the browser’s time zone', async (t) => {
  const admin = await serveAdmin(t)
  const time = Date.now()
  const textOf = (moment: number) => new Date(moment).toISOString().slice(0, 19).replace('T', ' ')
  await admin.keep(failureOf('7K2M9QX4-000001', { time }))
  const open = await chromium.open({}, t)
  const protocol = await open.page.context().newCDPSession(open.page)
  await protocol.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kolkata' })
  await open.goto(`${admin.origin}/failures/7K2M9QX4-000001`, 'load')
  await open.page
    .getByText(`${textOf(time + 5.5 * HOUR)} GMT+5:30`)
    .first()
    .waitFor()
  t.match(await open.read('main'), `${textOf(time)} UTC`)
  t.strictSame(open.errors, [])
})

t.test('a page that could not read the ledger shows its data once the ledger is back', async (t) => {
  const admin = await serveAdmin(t)
  await admin.keep(failureOf('7K2M9QX4-000001'))
  const { ledger } = admin.store
  const { list } = ledger
  ledger.list = () => Promise.reject(new Error('not now'))
  const open = await chromium.open({}, t)
  await open.goto(admin.origin, 'load')
  await open.hydrated()
  t.equal(await open.page.getByRole('heading', { level: 1 }).innerText(), 'The ledger is not available')
  t.ok(await open.page.getByRole('link', { name: 'Try again' }).isVisible())
  ledger.list = list
  await open.page.getByRole('link', { name: /TypeError/ }).waitFor()
})
