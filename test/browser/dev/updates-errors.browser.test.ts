/// <reference lib="dom" />

import t from 'tap'
import { type DevPage, startDevSite } from './dev-site.ts'

const site = await startDevSite(t, 'dev')

t.test('keeps the page and its state while a module has a syntax error', async (t) => {
  const page = await site.open('/errors')
  const before = await page.use()
  site.edit('parts/styled-box.tsx', '</b>', '</i>')
  await showsError(page, 'HYD_BUILD_SYNTAX')
  t.strictSame(await page.state(), { ...before, focused: '' }, 'the overlay has the focus')
  t.equal(await page.read('#box'), 'box')
  site.edit('parts/styled-box.tsx', 'box</i>', 'mended</b>')
  await page.says('#box', 'mended')
  await page.becomes(isInOverlay, '')
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

t.test('shows a stylesheet that was saved together with a module that did not compile', async (t) => {
  const page = await site.open('/errors')
  const before = await page.use()
  site.edit('parts/styled-box.css', '(1,', '(2,')
  site.edit('parts/styled-box.tsx', '</b>', '</i>')
  await showsError(page, 'HYD_BUILD_SYNTAX')
  site.edit('parts/styled-box.tsx', 'mended</i>', 'box</b>')
  await page.says('#box', 'box')
  await page.becomes((color) => {
    const box = document.querySelector('#box')
    return box !== null && getComputedStyle(box).color === color
  }, 'rgb(2, 0, 0)')
  site.edit('parts/styled-box.tsx', 'box</b>', 'mended</b>')
  await page.says('#box', 'mended')
  await page.becomes(isInOverlay, '')
  t.strictSame(await page.state(), before)
})

t.test('keeps the page and its state while a module throws', async (t) => {
  const page = await site.open('/errors')
  const before = await page.use()
  site.edit('parts/word-text.ts', "'word'", "JSON.parse('no word')")
  await showsError(page, 'not valid JSON')
  t.strictSame(await page.state(), { ...before, focused: '' }, 'the overlay has the focus')
  t.equal(await page.read('#word'), 'word')
  site.edit('parts/word-text.ts', "JSON.parse('no word')", "'mended'")
  await page.says('#word', 'mended')
  await page.becomes(isInOverlay, '')
  t.strictSame(await page.state(), before)
})

t.test('shows a component again that threw after an edit', async (t) => {
  const page = await site.open('/errors')
  await page.use()
  site.edit('parts/styled-box.tsx', '  return', "  if (self.document) throw new Error('no box')\n  return")
  await page.shown('.hydrant-failure')
  await showsError(page, 'no box')
  site.edit('parts/styled-box.tsx', "  if (self.document) throw new Error('no box')\n", '')
  await page.says('#box', 'mended')
  await page.becomes(isInOverlay, '')
  t.equal((await page.state()).isSameDocument, true)
})

t.test('shows the page again after its load has failed', async (t) => {
  const page = await site.open('/errors')
  await page.use()
  site.edit('parts/title.ts', "=> 'title'", "=> { throw new Error('no title') }")
  await page.shown('.hydrant-failure')
  await showsError(page, 'no title')
  site.edit('parts/title.ts', "=> { throw new Error('no title') }", "=> 'new title'")
  await page.says('h1', 'new title')
  await page.becomes(isInOverlay, '')
  t.equal((await page.state()).isSameDocument, true)
})

t.test('shows the page again after a module of the server has thrown', async (t) => {
  const page = await site.open('/errors')
  await page.use()
  site.edit('parts/title.ts', 'export', "if (true) throw new Error('no module')\nexport")
  await showsError(page, 'no module')
  site.edit('parts/title.ts', "if (true) throw new Error('no module')\n", '')
  await page.says('h1', 'new title')
  await page.becomes(isInOverlay, '')
  t.equal((await page.state()).isSameDocument, true)
})

t.test('opens a page that was loaded while the site did not build', async (t) => {
  site.edit('parts/styled-box.tsx', '</b>', '</i>')
  const page = await site.tab()
  await page.goto(`${site.url}errors`, 'load')
  t.match(await page.page.content(), 'HYD_BUILD_SYNTAX')
  site.edit('parts/styled-box.tsx', '</i>', '</b>')
  await page.says('#box', 'mended')
  t.equal(await page.read('#box'), 'mended')
})

t.test('loads open pages again when the command is started again', async (t) => {
  const page = await site.open('/errors')
  await page.use()
  const { port } = new URL(site.url)
  await site.dev.stop()
  site.edit('parts/styled-box.tsx', 'mended', 'restarted')
  await site.restart(port)
  await page.says('#box', 'restarted')
  t.equal((await page.state()).isSameDocument, false)
})

function showsError(page: DevPage, text: string): Promise<void> {
  return page.becomes(isInOverlay, text)
}

// These functions run in the page.

/** Returns whether the overlay shows a text, or is closed if the text is empty. */
function isInOverlay(text: string): boolean {
  const shown = [...document.querySelectorAll('*')].map(({ shadowRoot }) => shadowRoot?.textContent ?? '').join('')
  return text === '' ? shown === '' : shown.includes(text)
}
