/// <reference lib="dom" />

// Pages that Google Translate, or a browser extension, has changed.

import t from 'tap'
import { scriptOf } from '../server/served.ts'
import { until } from '../until.ts'
import type { OpenPage, Owner } from './chromium.ts'
import { launchFirefox } from './firefox.ts'
import { isInPlace, startInPlace, textOf } from './in-place-site.ts'

const inPlace = await startInPlace(t)
const REPAIR = scriptOf(inPlace.dir, 'client/repair.ts')

/** Changes the page as Google Translate does. */
function translate() {
  const { documentElement, body } = document
  documentElement.classList.add('translated-ltr')
  documentElement.lang = 'de'
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest('script,style,textarea,font') || !node.nodeValue?.trim()
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  )
  const texts: Node[] = []
  while (walker.nextNode()) texts.push(walker.currentNode)
  for (const text of texts) {
    const outer = document.createElement('font')
    const inner = document.createElement('font')
    for (const font of [outer, inner]) font.style.verticalAlign = 'inherit'
    inner.textContent = text.nodeValue?.toUpperCase() ?? ''
    outer.append(inner)
    text.parentNode?.replaceChild(outer, text)
  }
}

async function openTranslated(t: Owner): Promise<OpenPage> {
  const open = await inPlace.open(t, '/words')
  await open.evaluate(translate, null)
  return open
}

function isGuarded(script: string): boolean {
  return performance.getEntriesByType('resource').some(({ name }) => name.endsWith(script))
}

/** Holds the script that guards texts back until the returned function is called. */
async function holdGuard({ page }: OpenPage): Promise<() => void> {
  let release!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`**/${REPAIR}`, async (route) => {
    await released
    await route.fallback()
  })
  return release
}

t.test('a translated page works as before', async (t) => {
  const open = await openTranslated(t)
  await until(() => open.evaluate(isGuarded, REPAIR))

  await t.test('texts that change are current, and the others stay translated', async (t) => {
    await open.click('#more')
    await open.hasText('#beside', 'There are 1 things BOLD after')
    t.equal(await textOf(open, '#single'), 'some')
    t.equal(await textOf(open, '#inner'), '')
    t.equal(await textOf(open, '#more'), 'COUNT')
    await open.click('#more')
    await open.hasText('#beside', 'There are 2 things and more BOLD after')
    t.equal(await textOf(open, '#inner'), 'inner even')
    t.notMatch(await open.read('main'), /even\s*even/i)
  })

  await t.test('after it has been translated again', async (t) => {
    await open.evaluate(translate, null)
    await open.click('#toggle')
    await open.hasText('#part', 'open end')
    t.equal(await textOf(open, '#toggle'), 'Hide 2 it', 'state is kept')
    await open.evaluate(translate, null)
    await open.click('#more')
    await open.hasText('#toggle', 'Hide 3 it')
    await open.click('#toggle')
    await open.hasText('#toggle', 'Show it')
    t.equal(await textOf(open, '#part'), 'closed now end')
  })

  await t.test('forms, refreshes and navigations show what is new', async (t) => {
    await open.evaluate(translate, null)
    await open.fill('[name=text]', 'one')
    await open.click('#own button')
    await open.hasText('#result', 'sent one')
    await open.fill('[name=plain]', 'two')
    await open.click('#plain')
    await open.hasText('#action', 'got two')
    await open.evaluate(translate, null)
    await open.click('#refresh')
    await open.hasText('#version', /Version \d+ of many VERSIONS/)
    await open.evaluate(translate, null)
    await open.click('#next')
    await open.hasText('h1', 'Other')
    await open.evaluate(translate, null)
    await open.click('#back')
    await open.hasText('#beside', 'There are 0 things bold after')
    t.match(await open.read('main'), /FAR\s+Before even/)
  })

  t.ok(await isInPlace(open))
  t.equal(await open.count('[role=alert]'), 0)
  t.same(open.errors, [])
})

t.test('a page that changes before its texts are guarded is rendered again', async (t) => {
  const open = await inPlace.open(t, '/words')
  const release = await holdGuard(open)
  await open.evaluate(translate, null)
  await open.evaluate(() => {
    const [text, inner] = ['text', 'inner'].map((name) => document.querySelector(`[name=${name}]`) as HTMLInputElement)
    if (text) text.value = 'typed'
    if (inner) inner.value = 'inside'
    inner?.focus()
  }, null)
  await open.evaluate(() => document.getElementById('toggle')?.click(), null)
  t.match(await open.read('main'), /BEFORE EVEN/, 'meanwhile the page stays')
  release()
  await open.hasText('#toggle', 'Show it')
  t.equal(await open.count('[role=alert]'), 0)
  t.ok(await isInPlace(open))
  t.match(await open.read('main'), /FAR\s+Before even\s+Words/, 'nothing that React has removed stays')
  await until(async () => (await open.valueOf('[name=text]')) === 'typed')
  t.equal(await open.valueOf('[name=inner]'), 'inside')
  t.equal(await open.evaluate(() => document.activeElement?.getAttribute('name'), null), 'inner')

  await t.test('and works from then on', async (t) => {
    await open.evaluate(translate, null)
    await open.click('#toggle')
    await open.hasText('#part', 'open end')
    t.equal(await textOf(open, '#toggle'), 'Hide 0 it')
    await open.click('#more')
    await open.hasText('#beside', 'There are 1 things BOLD after')
  })

  await t.test('operators read about it', async (t) => {
    const line = await inPlace.site.waitForLine(({ err }) => err?.type === 'NotFoundError')
    t.match(line.err?.message, /^A translation or a browser extension has changed the page: .*child of this node/)
    t.equal(line.isRecovered, true)
  })
})

t.test('a failure of the site with the same name is shown', async (t) => {
  const open = await inPlace.open(t, '/camera')
  await open.click('#camera')
  await open.hasText('[role=alert]', 'Application error')
})

t.test('so it is when the code that repairs pages cannot be loaded, and the page is not reloaded', async (t) => {
  const open = await inPlace.open(t, '/camera')
  await open.page.route(`**/${REPAIR}`, (route) => route.abort())
  await open.click('#camera')
  await open.hasText('[role=alert]', 'Application error')
  t.ok(await isInPlace(open))
})

t.test('a page that fails each time that it is rendered is not rendered forever', async (t) => {
  const open = await inPlace.open(t, '/retried')
  await open.click('#again')
  await open.hasText('[role=alert]', 'Application error')
  t.ok(await isInPlace(open))
})

t.test('a translated page works in Firefox', async (t) => {
  const page = await launchFirefox(t)
  await page.goto(`${inPlace.origin}/words`)
  await page.hydrated()
  await page.evaluate(translate, null)
  await page.click('#toggle')
  await page.click('#toggle')
  await page.click('#more')
  await page.click('#more')
  await page.shows('#beside', 'and more')
  t.equal(await page.evaluate(() => document.querySelectorAll('[role=alert]').length, null), 0)
})
