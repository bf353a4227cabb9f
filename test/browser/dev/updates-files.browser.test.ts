/// <reference lib="dom" />

import t from 'tap'
import { type DevPage, keepsState, LAYOUT, startDevSite } from './dev-site.ts'

/** A picture of one pixel in an SVG, with the given width. */
const picture = (width: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="10"></svg>\n`

const site = await startDevSite(t, {
  'pages/layout.tsx': LAYOUT.replace(
    '<b ',
    '<nav><a href="/" id="to-home">home</a><a href="/other" id="to-other">other</a></nav><b ',
  ),
  'pages/index.tsx': `import { lazy, Suspense, useState } from 'react'
import drawn from '../parts/drawn.svg'
import { State } from '../parts/state'
import words from '../parts/words.json'
import styles from './index.module.css'
import './index.css'
const Late = lazy(() => import('../parts/late'))
export default function Page() {
  const [isOpen, setOpen] = useState(false)
  return (
    <main className={styles.main}>
      <h1>{words.title}</h1>
      <p id="plain">plain</p><p id="module" className={styles.part + ' ' + styles.added}>module</p><p id="imported">imported</p>
      <img id="drawn" src={drawn} alt="" /><img id="public" src="/picture.svg" alt="" />
      <button id="open" type="button" onClick={() => setOpen(true)}>open</button>
      {isOpen && <Suspense><Late /></Suspense>}
      <State />
    </main>
  )
}
`,
  'pages/index.css': "@import '../parts/imported.css';\n#plain { color: rgb(1, 0, 0) }\n",
  'parts/imported.css': '#imported { color: rgb(1, 0, 0) }\n',
  'pages/index.module.css': '.main { margin: 0 }\n.part { color: rgb(1, 0, 0) }\n',
  'parts/words.json': '{ "title": "title" }\n',
  'parts/drawn.svg': picture(10),
  'public/picture.svg': picture(10),
  'parts/late.tsx': `import './late.css'
export default function Late() {
  return <b id="late">late</b>
}
`,
  'parts/late.css': '#late { color: rgb(1, 0, 0) }\n',
  'pages/plain.tsx':
    'export const hydrate = false\nexport default function Page({ data }) {\n  return <p id="plain">{data} text</p>\n}\n',
  'pages/plain.server.ts': "export const cache = { maxAgeS: 60 }\nexport const load = () => 'first'\n",
  'parts/red.css': '#order { color: rgb(9, 0, 0) }\n',
  'parts/blue.css': '#order { color: rgb(0, 0, 9) }\n',
  'pages/blue.tsx':
    'import \'../parts/red.css\'\nimport \'../parts/blue.css\'\nexport default () => <a id="order" href="/red">blue</a>\n',
  'pages/red.tsx':
    'import \'../parts/blue.css\'\nimport \'../parts/red.css\'\nexport default () => <a id="order" href="/blue">red</a>\n',
  'pages/other.tsx': `import { State } from '../parts/state'
export default function Page() {
  return <main><h1>other</h1><State /></main>
}
`,
})

t.test('shows edits of stylesheets', async (t) => {
  const page = await site.open('/')
  const before = await page.use()
  await hasColor(page, '#plain', 'rgb(1, 0, 0)')
  site.edit('pages/index.css', '(1,', '(2,')
  await hasColor(page, '#plain', 'rgb(2, 0, 0)')
  await hasColor(page, '#imported', 'rgb(1, 0, 0)')
  site.edit('parts/imported.css', '(1,', '(2,')
  await hasColor(page, '#imported', 'rgb(2, 0, 0)')
  site.edit('pages/index.module.css', '(1,', '(2,')
  await hasColor(page, '#module', 'rgb(2, 0, 0)')
  site.edit('pages/index.module.css', '.main', '.added { background-color: rgb(3, 0, 0) }\n.main')
  await page.becomes(hasStyle, { selector: '#module', name: 'backgroundColor', value: 'rgb(3, 0, 0)' })
  await hasColor(page, '#module', 'rgb(2, 0, 0)')
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

t.test('warns about the names of classes that a CSS module does not have', async (t) => {
  // The page used the class before it was added.
  await site.dev.waitFor(/^Warning \[HYD_BUILD_CLASS_NAME\] pages\/index\.module\.css has no class "added"/)
  const page = await site.open('/')
  await keepsState(
    t,
    page,
    () => site.edit('pages/index.tsx', 'styles.added}>mod', 'styles.aded}>new mod'),
    '#module',
    'new module',
  )
  await site.dev.waitFor(/^Warning .* has no class "aded"; did you mean "added"\?/)
  await site.dev.waitFor(/^ {2}at pages\/index\.tsx:13:83/)
  await keepsState(
    t,
    page,
    () => site.edit('pages/index.tsx', 'styles.aded}>new', 'styles.added}>old'),
    '#module',
    'old module',
  )
  site.edit('pages/index.module.css', '.added', '.renamed')
  await site.dev.waitFor(/^Warning .* has no class "added"/)
  site.edit('pages/index.module.css', '.renamed', '.added')
})

t.test('has one link per stylesheet after edits and navigations', async (t) => {
  const page = await site.open('/')
  for (const value of [3, 4, 5]) {
    site.edit('pages/index.css', `(${value - 1},`, `(${value},`)
    await hasColor(page, '#plain', `rgb(${value}, 0, 0)`)
  }
  await page.press('#to-other')
  await page.says('h1', 'other')
  site.edit('pages/index.css', '(5,', '(6,')
  await page.press('#to-home')
  await hasColor(page, '#plain', 'rgb(6, 0, 0)')
  t.strictSame(await page.evaluate(listLinks, null), [
    'hydrant-css-pages-index-module',
    'index',
    'parts-imported',
    'parts-late',
  ])
  t.strictSame(page.messages, [])
})

t.test('shows edits of data, images and public files', async (t) => {
  const page = await site.open('/')
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
  const page = await site.open('/')
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
  const page = await site.open('/other')
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
  const page = await site.open('/other')
  const url = await page.evaluate(() => {
    return performance.getEntriesByType('resource').find(({ name }) => name.includes('/other-'))?.name ?? ''
  }, null)
  const scriptUrl = /"\.(\/other-[^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
  const read = async () => await (await fetch(new URL(`.${scriptUrl}`, url))).text()
  t.notMatch(await read(), '"new: "')
  site.edit('pages/other.tsx', 'import', "import { word } from '../parts/new'\nimport")
  site.edit('pages/other.tsx', '<h1>other', "<h1>{'new: ' + word}")
  let text = ''
  while (!text.includes('"new: "')) text = await read()
  t.notMatch(text, '"../parts/new"')
  await page.says('h1', 'new: new')
})

t.test('loads a page without scripts again', async (t) => {
  const { page, goto, read, says, evaluate } = await site.tab()
  const connected = page.waitForResponse((response) => response.url().includes('/_hydrant/dev'))
  await goto(`${site.url}plain`, 'load')
  t.equal(await read('#plain'), 'first text')
  t.equal(await evaluate(() => '__hydrant' in self, null), false)
  await connected
  const again = page.waitForResponse((response) => response.url().includes('/_hydrant/dev'))
  site.edit('pages/plain.tsx', 'text', 'words')
  await says('#plain', 'first words')
  await again
  site.edit('pages/plain.server.ts', 'first', 'second')
  await says('#plain', 'second words')
})

t.test('stylesheets apply in the order of their imports, whichever pages were shown before', async (t) => {
  const page = await site.open('/blue')
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
