/// <reference lib="dom" />

// The panel of pages in development that shows how long their requests took.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { buildSharing } from '../../shared-compression.ts'
import { until } from '../../until.ts'
import { PUBLIC_HOST } from '../chromium.ts'
import { type DevPage, startDevSite } from './dev-site.ts'

const waits = (ms: number) => `await new Promise((done) => setTimeout(done, ${ms}))`

const SITE = {
  'pages/layout.server.ts': `export const load = async () => {\n  ${waits(2)}\n  return 'layout'\n}\n`,
  'pages/index.tsx':
    'export default function Page() {\n  return <main><a id="to-note" href="/notes/7?page=2">note</a></main>\n}\n',
  'pages/index.server.ts': `import type { LoadContext } from 'hydrant'
export const cache = { maxAgeS: 60 }
export const load = async ({ request }: LoadContext) => {
  ${waits(20)}
  return 'x'.repeat(5_000) + request.headers.host
}
`,
  'pages/notes/[id].tsx': 'export default function Page() {\n  return <main><h1>note</h1></main>\n}\n',
  'pages/notes/[id].server.ts': `export const guard = async () => {
  ${waits(2)}
}
export const load = async () => {
  ${waits(30)}
  return { reviews: new Promise((done) => setTimeout(done, 40, 'good')) }
}
`,
}

const site = await startDevSite(t, SITE, { args: ['--hosts', PUBLIC_HOST], env: { LAUNCH_EDITOR: '/bin/true' } })

/** Opens a page as a person sees it: programs that drive the browser get no panel. */
async function openAsPerson(path: string): Promise<DevPage & { opener: Locator; panel: Locator }> {
  const opened = await site.tab()
  const { page } = opened
  const url = new URL(path, site.url).href
  await page.goto(url)
  await opened.hydrated()
  await page.evaluate(() => localStorage.setItem('hydrant-times', 'shown'))
  await page.goto(url)
  await opened.hydrated()
  const opener = page.getByRole('button', { name: 'times of requests' })
  await opener.waitFor()
  return { ...opened, opener, panel: page.getByRole('region', { name: 'Requests of this tab' }) }
}

t.test('the panel opens by keyboard, and shows the steps of the document and why it is not stored', async (t) => {
  const { page, opener, panel, messages } = await openAsPerson('/')
  t.match(await opener.innerText(), /^\d+(\.\d+)? (ms|s)$/)
  t.equal(await opener.getAttribute('aria-expanded'), 'false')
  t.equal(await panel.count(), 0, 'a closed panel is not in the accessibility tree')
  await opener.focus()
  await page.keyboard.press('Enter')
  await panel.waitFor()
  t.equal(await opener.getAttribute('aria-expanded'), 'true')
  const text = await panel.innerText()
  t.match(text, /\/ document/)
  t.match(text, 'not stored, because it reads request')
  const rows = await panel.getByRole('row').allInnerTexts()
  const found = rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())
  t.match(found, [
    'Step Time Size',
    /^load pages\/layout\.server\.ts \d\S* m?s 0\.0\d kB$/,
    /^load pages\/index\.server\.ts (?:\d\d+ ms|\d+\.\d\d s) 5\.0 kB$/,
    /^data \d\S* m?s$/,
    /^render \d\S* m?s \S+ kB$/,
  ])
  t.equal(await panel.getByRole('columnheader').count(), 3)

  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  t.ok(await opener.evaluate((button) => (button.getRootNode() as ShadowRoot).activeElement === button))
  t.strictSame(messages, [])
})

t.test('a navigation adds an entry with all of its steps, and the entries survive a reload', async (t) => {
  const { page, opener, panel, press, says, hydrated } = await openAsPerson('/')
  await opener.click()
  const items = panel.getByRole('listitem')
  const before = await items.count()
  await press('#to-note')
  await says('h1', 'note')
  await until(async () => (await items.count()) === before + 1)
  const text = (await items.first().innerText()).replaceAll(/\s+/g, ' ')
  t.match(text, /\/notes\/7\?page=2 navigation Route \/notes\/\[id\] /)
  t.match(text, /guard pages\/notes\/\[id\]\.server\.ts \d/)
  const load = /load pages\/notes\/\[id\]\.server\.ts (?:(?:[2-9]\d|\d{3,}) ms|\d+\.\d\d s) 0\.0\d kB/
  t.match(text, load, 'a load that ends after the headers')
  t.match(text, /deferred data\.reviews \d/)
  t.notMatch(text, 'layout.server.ts', 'the browser keeps the layout')

  const opening = page.waitForRequest(/\/_hydrant\/dev\/open\?/)
  await items.first().getByRole('button', { name: 'Open pages/notes/[id].server.ts in the editor' }).first().click()
  t.match(new URL((await opening).url()).search, 'export=guard')

  await page.reload()
  await hydrated()
  await opener.click()
  await until(async () => (await items.count()) === before + 2)
  t.match(await items.first().innerText(), /\/notes\/7\?page=2 document/)
})

t.test('the panel changes no layout, is not printed, and can be hidden until it is shown again', async (t) => {
  const { page, opener, panel } = await openAsPerson('/')
  const host = page.locator('hydrant-times')
  t.strictSame(await host.evaluate((element) => [element.clientWidth, element.clientHeight]), [0, 0])
  await page.emulateMedia({ media: 'print' })
  t.notOk(await opener.isVisible())
  await page.emulateMedia({ media: null })

  await opener.click()
  await panel.getByRole('button', { name: 'Hide the button' }).click()
  t.equal(await host.count(), 0)
  t.equal(await loadsPanel(page), false, 'the browser remembers it')
  await page.evaluate(() => localStorage.setItem('hydrant-times', 'shown'))
  t.equal(await loadsPanel(page, opener), true)
})

t.test('the panel says why it has no times where the browser does not tell them', async (t) => {
  const { opener, panel } = await openAsPerson(`http://${PUBLIC_HOST}:${new URL(site.url).port}/`)
  await opener.click()
  t.match(await panel.innerText(), 'Browsers tell pages their times only at localhost and with HTTPS.')
})

t.test('programs that drive a browser do not see the panel, and do not load it', async (t) => {
  const { page } = await openAsPerson('/')
  await page.evaluate(() => localStorage.removeItem('hydrant-times'))
  t.equal(await loadsPanel(page), false)
  t.equal(await page.locator('hydrant-times').count(), 0)
})

/** Loads the page again and waits for `opener`, if given. Returns whether the page has loaded the script of the panel. */
async function loadsPanel(page: Page, opener?: Locator): Promise<boolean> {
  await page.reload({ waitUntil: 'networkidle' })
  await opener?.waitFor()
  const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  const scripts = urls.filter((url) => url.endsWith('.js')).map(async (url) => (await fetch(url)).text())
  return (await Promise.all(scripts)).some((script) => script.includes('Requests of this tab'))
}

t.test('a build has nothing of the panel', async (t) => {
  const { folder } = await buildSharing({ dir: site.dir })
  const files = readdirSync(join(folder, 'client'), { recursive: true, encoding: 'utf8' })
  const scripts = files
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(folder, 'client', file), 'utf8'))
  t.ok(scripts.length > 1)
  t.notOk(scripts.some((script) => /hydrant-times|"times"|Requests of this tab/.test(script)))
})
