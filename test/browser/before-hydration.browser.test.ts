/// <reference lib="dom" />

// What a visitor does before React has hydrated the page, or a part of it.

import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { EARLY_SCRIPT } from '../../src/shared/wire/early-events.ts'
import { buildApp } from '../build-app.ts'
import { scriptOf, serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { startDevSite } from './dev/dev-site.ts'
import { createGate } from './held-site.ts'

const dir = await buildApp(t, 'fields')
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)
const lateScript = scriptOf(dir, 'late-counter.tsx')

interface Early {
  open: OpenPage
  /** Lets the scripts go, but not that of the late part. Resolves when the effects of the page have run. */
  hydrate(): Promise<void>
  /** Lets the script of the late part go. */
  hydrateLate(): void
}

/** Opens a page whose scripts wait. */
async function openEarly(t: Test, path = '/before'): Promise<Early> {
  const open = await chromium.open({}, t)
  const page = createGate()
  const late = createGate()
  await open.page.route('**/*.js', async (route) => {
    await (route.request().url().includes(lateScript) ? late : page).opened
    await route.fallback().catch(() => {})
  })
  t.teardown(() => {
    page.open()
    late.open()
  })
  await open.goto(origin + path, 'commit')
  await open.shown('#late')
  return {
    open,
    async hydrate() {
      page.open()
      if (path === '/before-bare') await open.hydrated()
      else if (path !== '/before?throws') await open.hasText('#ready', 'true')
    },
    hydrateLate: late.open,
  }
}

/** Resolves when what has been sent before has arrived: a click comes after it. */
async function settle(open: OpenPage) {
  const before = Number(await open.read('#count'))
  await open.click('#count')
  await open.hasText('#count', String(before + 1))
}

async function stateOf(open: OpenPage): Promise<Record<string, unknown>> {
  return JSON.parse(await open.read('#state'))
}

t.test('clicks, double clicks and keys take effect once', async (t) => {
  const { open, hydrate } = await openEarly(t)
  await open.click('#count')
  await open.click('#count', { clickCount: 2 })
  await open.press('#count', 'Enter')
  t.equal(await open.read('#count'), '0')
  await hydrate()
  await open.hasText('#count', '4')
  t.equal(await open.read('#told'), 'dblclick count,keydown count')
  await settle(open)
  t.equal(await open.read('#count'), '5')
  t.strictSame(open.errors, [])
})

t.test('what a visitor types and chooses reaches the state, and stays on the screen', async (t) => {
  const { open, hydrate } = await openEarly(t)
  await open.page.type('#text', 'añb')
  await open.page.keyboard.press('ArrowLeft')
  await open.fill('#area', 'טקסט 日本語')
  await open.page.type('#free', 'x')
  await open.click('#box')
  await open.click('#kind-b')
  await open.page.selectOption('#choice', 'b')
  await open.page.selectOption('#many', ['a', 'c'])
  await hydrate()
  const typed = { text: 'añb', area: 'טקסט 日本語', free: 'x', box: true, kind: 'b', choice: 'b', many: ['a', 'c'] }
  await until(async () => JSON.stringify(await stateOf(open)) === JSON.stringify(typed))
  const screen = await open.evaluate(() => {
    const field = (id: string) => document.getElementById(id) as HTMLInputElement & HTMLSelectElement
    return {
      text: field('text').value,
      area: field('area').value,
      free: field('free').value,
      box: field('box').checked,
      kind: field('kind-b').checked ? 'b' : 'a',
      choice: field('choice').value,
      many: [...field('many').selectedOptions].map(({ value }) => value),
    }
  }, null)
  t.strictSame(screen, typed)
  t.match(await open.read('#told'), /^keydown text,keydown text,keydown text,/)
  await settle(open)
  t.strictSame(await stateOf(open), typed)
})

t.test('a handler gets the text of its moment, and takes nothing that is typed after it', async (t) => {
  const { open, hydrate } = await openEarly(t, '/before-tags')
  const { keyboard } = open.page
  await open.page.type('#tag', 'red')
  await keyboard.press('Enter')
  await keyboard.type('blue,x')
  await keyboard.press('Backspace')
  await keyboard.type('green')
  await open.click('#add')
  await open.page.type('#word', 'one')
  await keyboard.press('Enter')
  await keyboard.type('two')
  await open.click('#add-word')
  await open.page.type('#word', 'three')
  await keyboard.press('ArrowLeft')
  await hydrate()
  await open.hasText('#words', 'one two')
  t.equal(await open.read('#tags'), 'red blue green')
  t.equal(await open.valueOf('#word'), 'three')
  await open.page.type('#tag', 'last')
  await keyboard.press('Enter')
  await open.hasText('#tags', 'red blue green last')
  t.strictSame(open.errors, [])
})

t.test('the caret stays where the visitor has put it', async (t) => {
  const { open, hydrate } = await openEarly(t, '/before-tags')
  await open.page.type('#tag', 'rest')
  await open.page.keyboard.press('ArrowLeft')
  await hydrate()
  await open.page.keyboard.type('X')
  await open.page.keyboard.press('Enter')
  await open.hasText('#tags', 'resXt')
  t.strictSame(open.errors, [])
})

t.test('a text that an input method composes is not interrupted', async (t) => {
  const { open, hydrate } = await openEarly(t)
  await open.focus('#area')
  await open.protocol.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
  await hydrate()
  await until(async () => (await stateOf(open)).area === 'に')
  await open.protocol.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
  await open.protocol.send('Input.insertText', { text: '日本' })
  await until(async () => (await stateOf(open)).area === '日本')
  t.equal(await open.valueOf('#area'), '日本')
})

t.test('a box that is ticked and cleared again, also by its label, is as before', async (t) => {
  const { open, hydrate } = await openEarly(t)
  await open.click('#box')
  await open.page.click('#label', { position: { x: 30, y: 8 } })
  await hydrate()
  await settle(open)
  t.equal((await stateOf(open)).box, false)
  t.equal(await open.page.isChecked('#box'), false)
})

t.test('what the browser has done by itself is not done again, and handlers learn of it once', async (t) => {
  const { open, hydrate } = await openEarly(t)
  await open.click('#summary')
  t.ok(await open.page.isVisible('text=Inside'), 'at once')
  await open.click('#fragment')
  t.equal(await open.evaluate(() => location.hash, null), '#below')
  const entries = await open.evaluate(() => history.length, null)
  await open.fill('#name', 'typed')
  await open.click('#reset')
  await open.fill('#name', 'anew')
  await hydrate()
  await settle(open)
  t.equal(await open.read('#told'), 'click summary,click fragment,click reset')
  t.ok(await open.page.isVisible('text=Inside'))
  t.equal(await open.valueOf('#name'), 'anew')
  t.equal(await open.evaluate(() => history.length, null), entries)
})

t.test('a form that is reset stays empty, and one that is not valid is not sent', async (t) => {
  const { open, hydrate } = await openEarly(t)
  await open.fill('#name', 'typed')
  await open.click('#reset')
  await open.press('#tag', 'Enter')
  await open.click('#refused')
  await hydrate()
  await settle(open)
  t.equal(await open.valueOf('#name'), '')
  // Enter clicks the button, too.
  t.equal(await open.read('#told'), 'click reset,keydown tag,click refused,click refused')
  t.equal(await open.evaluate(() => location.pathname, null), '/before')
})

/** Records the documents that a page asks for. It stays, because the responses have no content. */
async function recordDocuments(open: OpenPage, pattern: string): Promise<string[]> {
  const asked: string[] = []
  await open.page.route(pattern, async (route) => {
    const request = route.request()
    asked.push(`${request.method()} ${request.postData() ?? ''}`)
    await route.fulfill({ status: 204 })
  })
  return asked
}

t.test('a link leads away once', async (t) => {
  const { open, hydrate } = await openEarly(t)
  const asked = await recordDocuments(open, '**/fields*')
  await open.click('#away')
  await until(() => asked.length > 0)
  await hydrate()
  await settle(open)
  t.equal((await stateOf(open)).text, '')
  t.strictSame(asked, ['GET '])
})

for (const isClick of [true, false]) {
  t.test(`a form is sent once, by ${isClick ? 'its button' : 'Enter'}`, async (t) => {
    const { open, hydrate } = await openEarly(t)
    const asked = await recordDocuments(open, '**/before-sent*')
    await open.fill('#name', 'Ада')
    if (isClick) await open.click('#send')
    else await open.press('#name', 'Enter')
    await until(() => asked.length > 0)
    await hydrate()
    await settle(open)
    t.equal((await stateOf(open)).text, '')
    t.strictSame(asked, [`POST name=${encodeURIComponent('Ада')}`])
  })
}

t.test('clicks and text in a part whose code is late wait for it', async (t) => {
  const { open, hydrate, hydrateLate } = await openEarly(t)
  await open.click('#late')
  await open.fill('#lateText', 'one')
  await hydrate()
  await open.click('#late')
  await open.click('#late')
  await open.press('#lateText', 'End')
  await open.page.keyboard.type(' two')
  await settle(open)
  t.equal(await open.read('#late'), '0')
  hydrateLate()
  await open.hasText('#late', '3')
  await open.hasText('#lateState', 'one two')
  t.equal(await open.valueOf('#lateText'), 'one two')
  await open.click('#late')
  await open.hasText('#late', '4')
})

t.test('a tap counts', async (t) => {
  const { open, hydrate } = await openEarly(t)
  const box = await open.page.locator('#count').boundingBox()
  const touchPoints = [{ x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 }]
  await open.protocol.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await open.protocol.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await open.protocol.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await open.protocol.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await hydrate()
  await open.hasText('#count', '1')
  await settle(open)
  t.equal(await open.read('#count'), '2')
})

t.test('a hydrated page gets each event once, and keeps none', async (t) => {
  const { open, hydrate, hydrateLate } = await openEarly(t)
  hydrateLate()
  await hydrate()
  // The script of the late part may arrive after the others.
  await until(() =>
    open.evaluate(
      () =>
        Object.keys(document.querySelector('#late') ?? {})
          .join()
          .includes('__reactFiber'),
      null,
    ),
  )
  await settle(open)
  await open.click('#late')
  await open.hasText('#late', '1')
  await open.press('#count', 'Enter')
  await open.hasText('#count', '2')
  t.equal(await open.read('#told'), 'keydown count trusted')
  t.equal(await open.count('[data-hydrant-prefetch]'), 0, 'nothing was kept')
})

for (const isEarly of [true, false]) {
  t.test(`a page without forms and links sends ${isEarly ? 'early clicks' : 'clicks in late parts'}`, async (t) => {
    const { open, hydrate, hydrateLate } = await openEarly(t, '/before-bare')
    if (isEarly) await open.click('#count')
    if (isEarly) await open.click('#late')
    await hydrate()
    await open.hasText('#count', isEarly ? '1' : '0')
    await open.click('#late')
    hydrateLate()
    await open.hasText('#late', isEarly ? '2' : '1')
    await open.click('#late')
    await open.hasText('#late', isEarly ? '3' : '2')
  })
}

t.test('what is typed after hydration stays when the events before it are sent again', async (t) => {
  const { open, hydrate } = await openEarly(t, '/before-bare')
  const navigator = createGate()
  t.teardown(navigator.open)
  await open.page.route(`**/${scriptOf(dir, 'client/navigator.ts')}`, async (route) => {
    await navigator.opened
    await route.fallback().catch(() => {})
  })
  await open.click('#count')
  await open.fill('#text', 'on')
  await hydrate()
  await open.page.keyboard.type('e')
  await open.hasText('#seen', 'one')
  t.equal(await open.read('#count'), '0', 'the click is still kept')
  navigator.open()
  await open.hasText('#count', '1')
  t.equal(await open.valueOf('#text'), 'one')
  await open.page.keyboard.type('!')
  await open.hasText('#seen', 'one!')
})

t.test('a page that cannot be hydrated keeps its texts, and new elements get nothing', async (t) => {
  const { open, hydrate } = await openEarly(t, '/before?fail')
  await open.click('#count')
  await open.fill('#name', 'Ада')
  await hydrate()
  await open.hasText('h1', 'browser')
  await until(async () => (await open.valueOf('#name')) === 'Ада')
  await settle(open)
  t.equal(await open.read('#count'), '1', 'the click after hydration')
  t.equal((await stateOf(open)).text, '')
})

t.test('a page that fails while React hydrates it becomes the error page, without errors of Hydrant', async (t) => {
  const { open, hydrate } = await openEarly(t, '/before?throws')
  await open.click('#count')
  await open.fill('#text', 'typed')
  await hydrate()
  await open.shown('#failed')
  t.strictSame(
    open.errors.filter((error) => !error.includes('thrown by the page')),
    [],
  )
})

t.test('a page that the visitor has left and comes back to gets nothing', async (t) => {
  const { open, hydrate } = await openEarly(t)
  await open.click('#count')
  await open.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })), null)
  await open.click('#count')
  await hydrate()
  await open.hasText('#count', '1')
  await settle(open)
  t.equal(await open.read('#count'), '2')
})

t.test('the policy of a stored page, with hashes, allows the script', async (t) => {
  const { app } = await serve(t, await buildApp(t, 'stored'))
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/stored`
  const first = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  t.match(first, EARLY_SCRIPT)
  const open = await chromium.open({}, t)
  const gate = createGate()
  t.teardown(gate.open)
  await open.page.route('**/*.js', async (route) => {
    await gate.opened
    await route.fallback().catch(() => {})
  })
  await open.goto(url, 'commit')
  await open.shown('button')
  t.equal(await open.read('button'), 'count: 0')
  await open.click('button')
  gate.open()
  await open.hasText('button', 'count: 2')
  t.strictSame(open.errors, [])
})

t.test('hydrant dev keeps clicks, too, also when scripts are seconds late', async (t) => {
  const site = await startDevSite(t, 'fields')
  const open = await chromium.open({}, t)
  const gate = createGate()
  t.teardown(gate.open)
  await open.page.route('**/*', async (route) => {
    if (route.request().resourceType() === 'script') await Promise.all([setTimeout(3_000), gate.opened])
    await route.fallback().catch(() => {})
  })
  await open.goto(`${site.url}before-bare`, 'commit')
  await open.click('#count')
  t.equal(await open.read('#count'), '0')
  await open.click('#count')
  gate.open()
  await open.hasText('#count', '2')
})

t.test('the script is small, in the head before everything else, and not in pages that are not hydrated', async (t) => {
  const get = async (url: string) => (await app.inject({ url, headers: { accept: 'text/html' } })).body
  const document = await get('/before')
  const element = /<head><script nonce="[^"]+">(.+?)<\/script>/.exec(document)
  t.equal(element?.[1], EARLY_SCRIPT)
  t.ok(gzipSync(EARLY_SCRIPT, { level: 9 }).byteLength <= 400)
  t.notMatch(await get('/before-plain'), '<script')
})
