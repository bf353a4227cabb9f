/// <reference lib="dom" />

import t from 'tap'
import { type DevPage, keepsState, startDevSite } from './dev-site.ts'

/** A picture of one pixel in an SVG, with the given width. */
const picture = (width: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="10"></svg>\n`

const site = await startDevSite(t, 'dev')

t.test('shows edits of stylesheets', async (t) => {
  const page = await site.open('/files')
  const before = await page.use()
  await hasColor(page, '#plain', 'rgb(1, 0, 0)')
  site.edit('pages/files/index.css', '(1,', '(2,')
  await hasColor(page, '#plain', 'rgb(2, 0, 0)')
  await hasColor(page, '#imported', 'rgb(1, 0, 0)')
  site.edit('parts/imported.css', '(1,', '(2,')
  await hasColor(page, '#imported', 'rgb(2, 0, 0)')
  site.edit('pages/files/index.module.css', '(1,', '(2,')
  await hasColor(page, '#module', 'rgb(2, 0, 0)')
  site.edit('pages/files/index.module.css', '.main', '.added { background-color: rgb(3, 0, 0) }\n.main')
  await page.becomes(hasStyle, { selector: '#module', name: 'backgroundColor', value: 'rgb(3, 0, 0)' })
  await hasColor(page, '#module', 'rgb(2, 0, 0)')
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

t.test('warns about the names of classes that a CSS module does not have', async (t) => {
  // The page used the class before it was added.
  await site.dev.waitFor(/^Warning \[HYD_BUILD_CLASS_NAME\] pages\/files\/index\.module\.css has no class "added"/)
  const page = await site.open('/files')
  await keepsState(
    t,
    page,
    () => site.edit('pages/files/index.tsx', 'styles.added}`}>\n        ', 'styles.aded}`}>\n        new '),
    '#module',
    'new module',
  )
  await site.dev.waitFor(/^Warning .* has no class "aded"; did you mean "added"\?/)
  await site.dev.waitFor(/^ {2}at pages\/files\/index\.tsx:16:58/)
  await keepsState(
    t,
    page,
    () => site.edit('pages/files/index.tsx', 'styles.aded}`}>\n        new', 'styles.added}`}>\n        old'),
    '#module',
    'old module',
  )
  site.edit('pages/files/index.module.css', '.added', '.renamed')
  await site.dev.waitFor(/^Warning .* has no class "added"/)
  site.edit('pages/files/index.module.css', '.renamed', '.added')
})

t.test('has one link per stylesheet after edits and navigations', async (t) => {
  const page = await site.open('/files')
  for (const value of [3, 4, 5]) {
    site.edit('pages/files/index.css', `(${value - 1},`, `(${value},`)
    await hasColor(page, '#plain', `rgb(${value}, 0, 0)`)
  }
  await page.press('#to-other')
  await page.says('h1', 'other')
  site.edit('pages/files/index.css', '(5,', '(6,')
  await page.press('#to-home')
  await hasColor(page, '#plain', 'rgb(6, 0, 0)')
  t.strictSame(await page.evaluate(listLinks, null), [
    'files-index',
    'hydrant-css-pages-files-index-module',
    'parts-imported',
    'parts-late',
  ])
  t.strictSame(page.messages, [])
})

t.test('shows edits of data, images and public files', async (t) => {
  const page = await site.open('/files')
  await keepsState(t, page, () => site.edit('parts/words.json', '"title" }', '"new title" }'), 'h1', 'new title')
  const before = await page.use()
  site.write('parts/drawn.svg', picture(20))
  await page.becomes(hasWidth, { selector: '#drawn', width: 20 })
  site.write('public/picture.svg', picture(30))
  await page.becomes(hasWidth, { selector: '#public', width: 30 })
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

t.test('shows edits of a component that is imported when it is needed, and of its stylesheet', async (t) => {
  const page = await site.open('/files')
  site.edit('parts/late.tsx', 'late</b>', 'latest</b>')
  await page.press('#open')
  await page.says('#late', 'latest')
  await hasColor(page, '#late', 'rgb(1, 0, 0)')
  await keepsState(t, page, () => site.edit('parts/late.tsx', 'latest</b>', 'final</b>'), '#late', 'final')
  const before = await page.use()
  site.edit('parts/late.css', '(1,', '(2,')
  await hasColor(page, '#late', 'rgb(2, 0, 0)')
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

t.test('shows a new page at once, and a deleted page as not found until it is back', async (t) => {
  const page = await site.open('/files/other')
  const before = await page.use()
  site.write('pages/fresh.tsx', 'export default function Page() {\n  return <h1>fresh</h1>\n}\n')
  const second = await site.openBeside('/fresh')
  t.equal(await second.read('h1'), 'fresh')
  site.edit('pages/fresh.tsx', 'fresh</h1>', 'newer</h1>')
  await second.says('h1', 'newer')
  t.strictSame(await page.state(), before)
  site.remove('pages/fresh.tsx')
  await second.becomes((text) => document.body.innerText.includes(text), 'This page could not be found.')
  await second.hydrated()
  await second.use()
  site.write('pages/fresh.tsx', 'export default function Page() {\n  return <h1>back</h1>\n}\n')
  await second.says('h1', 'back')
  t.equal((await second.state()).isSameDocument, true)
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

function hasColor(page: DevPage, selector: string, value: string): Promise<void> {
  return page.becomes(hasStyle, { selector, name: 'color', value })
}

t.test('removes a page with its stylesheet, and shows both when they are back', async (t) => {
  const layout = 'import \'./layout.css\'\nexport default ({ children }) => <section id="gone">{children}</section>\n'
  const write = (color: string) => {
    site.write('pages/gone/layout.css', `#gone { color: ${color} }\n`)
    site.write('pages/gone/layout.tsx', layout)
    site.write('pages/gone/index.tsx', 'export default () => <h1>gone</h1>\n')
  }
  write('rgb(1, 0, 0)')
  const page = await site.open('/gone')
  await hasColor(page, '#gone', 'rgb(1, 0, 0)')
  site.remove('pages/gone')
  await page.becomes((text) => document.body.innerText.includes(text), 'This page could not be found.')
  write('rgb(2, 0, 0)')
  await page.says('h1', 'gone')
  await hasColor(page, '#gone', 'rgb(2, 0, 0)')
  t.equal(await page.read('h1'), 'gone')
})

t.test('never serves a module whose imports are not known yet', async (t) => {
  site.write('parts/new.ts', "export const word = 'new'\n")
  const page = await site.open('/files/other')
  const url = await page.evaluate(() => {
    return performance.getEntriesByType('resource').find(({ name }) => name.includes('/files-other-'))?.name ?? ''
  }, null)
  const scriptUrl = /"\.(\/files-other-[^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
  const read = async () => await (await fetch(new URL(`.${scriptUrl}`, url))).text()
  t.notMatch(await read(), '"new: "')
  site.edit('pages/files/other.tsx', 'import', "import { word } from '../../parts/new.ts'\nimport")
  site.edit('pages/files/other.tsx', '<h1>other', "<h1>{'new: ' + word}")
  let text = ''
  while (!text.includes('"new: "')) text = await read()
  t.notMatch(text, '"../../parts/new.ts"')
  await page.says('h1', 'new: new')
})

t.test('loads a page without scripts again', async (t) => {
  const { page, goto, read, says, evaluate } = await site.tab()
  const connected = page.waitForResponse((response) => response.url().includes('/_hydrant/dev'))
  await goto(`${site.url}files/plain`, 'load')
  t.equal(await read('#plain'), 'first text')
  t.equal(await evaluate(() => '__hydrant' in self, null), false)
  await connected
  const again = page.waitForResponse((response) => response.url().includes('/_hydrant/dev'))
  site.edit('pages/files/plain.tsx', 'text', 'words')
  await says('#plain', 'first words')
  await again
  site.edit('pages/files/plain.server.ts', 'first', 'second')
  await says('#plain', 'second words')
})

t.test('stylesheets apply in the order of their imports, whichever pages were shown before', async (t) => {
  const page = await site.open('/files/blue')
  await hasColor(page, '#order', 'rgb(0, 0, 9)')
  await page.press('#order')
  await page.says('#order', 'red')
  await hasColor(page, '#order', 'rgb(9, 0, 0)')
  site.edit('parts/red.css', '(9,', '(8,')
  await hasColor(page, '#order', 'rgb(8, 0, 0)')
  t.strictSame(page.messages, [])
})

// These functions run in the page.

function hasStyle(wanted: { selector: string; name: 'color' | 'backgroundColor'; value: string }): boolean {
  const element = document.querySelector(wanted.selector)
  return element !== null && getComputedStyle(element)[wanted.name] === wanted.value
}

function hasWidth({ selector, width }: { selector: string; width: number }): boolean {
  return document.querySelector<HTMLImageElement>(selector)?.naturalWidth === width
}

/** Lists the names of the stylesheets in the document, without their hashes. */
function listLinks(): string[] {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')]
  return links.map(({ href }) => href.replace(/.*\/|-\w+\.css.*/g, '')).sort()
}
