/// <reference lib="dom" />

import type { Page } from 'playwright-core'
import t from 'tap'
import { startDevSite } from './dev-site.ts'

/** A browser has six connections to a host over HTTP/1.1. */
const TABS = 8

const site = await startDevSite(t, {
  'pages/index.tsx': `import { Word } from '../parts/word'
export default function Page() {
  return <main><Word /></main>
}
`,
  'parts/word.tsx': 'export const Word = () => <b id="word">first</b>\n',
})

t.test('updates many tabs of a site, also after one of them is closed', async (t) => {
  const context = await (await site.open('/')).page.context().browser()?.newContext()
  if (!context) throw new Error('no browser')
  const tabs: Page[] = []
  for (let count = 0; count < TABS; count++) {
    const tab = await context.newPage()
    await tab.goto(site.url)
    await hasWord(tab, 'first')
    tabs.push(tab)
  }
  t.equal(tabs.length, TABS)
  site.edit('parts/word.tsx', 'first', 'second')
  for (const tab of tabs) await hasWord(tab, 'second')

  await tabs.shift()?.close()
  site.edit('parts/word.tsx', 'second', 'third')
  for (const tab of tabs) await hasWord(tab, 'third')

  site.edit('parts/word.tsx', '</b>', '</i>')
  for (const tab of tabs) await tab.waitForSelector('hydrant-overlay', { state: 'attached' })
  site.edit('parts/word.tsx', 'third</i>', 'fourth</b>')
  for (const tab of tabs) {
    await hasWord(tab, 'fourth')
    await tab.waitForSelector('hydrant-overlay', { state: 'detached' })
  }
  await context.close()
})

t.test('updates each tab where the browser has no locks', async (t) => {
  const { page, says } = await site.open('/')
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'))
  await page.reload()
  t.equal(await page.evaluate(() => 'locks' in navigator), false)
  site.edit('parts/word.tsx', 'fourth', 'fifth')
  await says('#word', 'fifth')
})

async function hasWord(tab: Page, word: string): Promise<void> {
  await tab.waitForFunction((text) => document.querySelector('#word')?.textContent === text, word)
}
