// The overlay of `hydrant dev`: failures of the server and the browser, with their places in the source.

import t from 'tap'
import { developSite, LAYOUT } from './overlay-site.ts'

const DIGEST = /[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}/

const page = (text: string) => `export default function Page() {\n  return <p>${text}</p>\n}\n`

const BROKEN = `import { connect } from '../lib/connect.ts'
export async function load() {
  try {
    connect()
  } catch (cause) {
    throw new Error('no products', { cause })
  }
}
`
const CLICK = `export default function Page() {
  function buy() {
    throw new TypeError('no basket')
  }
  return <button type="button" onClick={buy}>Buy</button>
}
`

const site = await developSite(t, {
  'pages/products.tsx': page('products'),
  'pages/products.server.ts': BROKEN,
  'lib/connect.ts': "export function connect() {\n  throw new Error('no database')\n}\n",
  'pages/total.tsx': `function Total({ items }) {
  return <b>{items.length}</b>
}
export default function Page() {
  return <section><Total /></section>
}
`,
  'pages/shop.tsx': `import { refuse } from 'failing-package'
import { buy } from '../lib/buy.ts'
const render = () => <main>
  <button type="button" onClick={() => void buy()}>Buy</button>
  <button type="button" onClick={() => {
    refuse('a refund')
  }}>Return</button>
</main>
export default function Page() {
  return render()
}
`,
  'lib/buy.ts': `export async function buy(): Promise<void> {
  await null
  throw 'no basket'
}
`,
  'node_modules/failing-package/package.json': '{ "name": "failing-package", "type": "module", "main": "index.js" }',
  'node_modules/failing-package/index.js': 'export function refuse(value) {\n  throw value\n}\n',
  'pages/click.tsx': CLICK,
  'pages/index.tsx': page('fine'),
  'pages/broken.server.ts': "export const load = () => { throw new Error('broken') }\n",
  'pages/broken.tsx': page('never'),
})
const { dev } = site

t.test('a load that fails is shown with its digest, its code and its cause until it is mended', async (t) => {
  const { page: opened, dialog } = await site.open('/products')
  await dialog.waitFor()
  t.equal(await dialog.getByRole('heading', { level: 1 }).textContent(), 'The load of /products failed')
  const text = await dialog.innerText()
  t.match(text, 'Server error')
  t.match(text, 'Error: no products')
  t.match(text, /> 6 \| {5}throw new Error\('no products', \{ cause \}\)/)
  t.match(text, /Caused by\s+Error: no database/)
  const digest = DIGEST.exec(text)?.[0] ?? ''
  t.match(text, `npx hydrant errors ${digest} ${site.dir} --dev`)
  await site.dev.waitFor(new RegExp(`^Digest ${digest},`))
  t.match(await opened.locator('body').innerText(), `Digest: ${digest}`, 'the fallback of production is below')
  t.ok(await dialog.getByRole('button', { name: 'Open lib/connect.ts:2:9 in the editor' }).isVisible())

  site.write('pages/products.server.ts', 'export const load = () => null\n')
  await opened.getByText('products', { exact: true }).waitFor()
  t.equal(await dialog.count(), 0)
})

t.test('a root layout that fails is shown above the plain fallback until it is mended', async (t) => {
  const failing = {
    'pages/layout.tsx': LAYOUT.replace('  return', "  if (children) throw new Error('no frame')\n  return"),
    'pages/layout.server.ts': "export function load() {\n  throw new Error('no frame')\n}\n",
  }
  for (const [file, contents] of Object.entries(failing)) {
    await site.removeErrors()
    site.write(file, contents)
    await dev.waitFor(new RegExp(`^updated in .*${file.replaceAll('.', '\\.')}`))
    const { page: opened, dialog } = await site.open('/')
    await dialog.waitFor()
    const text = await dialog.innerText()
    t.match(text, 'Error: no frame', file)
    t.match(text, /> 2 \|.*throw new Error\('no frame'\)/, file)
    const digest = DIGEST.exec(text)?.[0] ?? ''
    t.match(await opened.locator('body').innerText(), `Digest: ${digest}`, 'the fallback of production is below')

    site.write(file, file.endsWith('.tsx') ? LAYOUT : 'export const load = () => null\n')
    await opened.getByText('fine', { exact: true }).waitFor()
    t.equal(await dialog.count(), 0, file)
  }
})

t.test('a component that fails is shown with the components around it', async (t) => {
  await site.removeErrors()
  const { dialog } = await site.open('/total')
  await dialog.waitFor()
  t.match(await dialog.innerText(), 'The page /total failed while it rendered')
  const components = await dialog.getByRole('list', { name: 'Components' }).getByRole('listitem').allInnerTexts()
  t.match(components.join('\n'), /^Total\s+pages\/total\.tsx:1:\d+\nPage\s+pages\/total\.tsx:4:\d+\nLayout\s/)
  await dev.waitFor(/^ {2}> 2 \| {3}return <b>/)
  await dev.waitFor(/^ {2}in Total \(pages\/total\.tsx:1:\d+\)$/)
  t.equal(dev.lines.filter((line) => line.includes('reading')).length, 1, 'it is printed once')
})

t.test('a text that is thrown in the browser is shown with its line', async (t) => {
  await site.removeErrors()
  const { page: opened, dialog, hydrated } = await site.open('/shop')
  await hydrated()
  await opened.getByRole('button', { name: 'Buy' }).click()
  await dialog.getByText('string: no basket').waitFor()
  t.match(await dialog.innerText(), /> 3 \| {3}throw 'no basket'/)
  t.ok(await dialog.getByRole('button', { name: 'Open lib/buy.ts:3:9 in the editor' }).isVisible())
  await dev.waitFor(/^ {2}> 3 \| {3}throw 'no basket'/)
  await opened.keyboard.press('Escape')
  await opened.getByRole('button', { name: 'Return' }).click()
  await dialog.getByText('string: a refund').waitFor()
  t.match(await dialog.innerText(), /> {2}6 \| {5}refuse\('a refund'\)/)
  await dev.waitFor(/^ {2}> 6 \| {5}refuse\('a refund'\)/)
})

t.test('the overlay remains when the document loses it', async (t) => {
  await site.removeErrors()
  const { page: opened, dialog, hydrated, evaluate } = await site.open('/click')
  await hydrated()
  await opened.getByRole('button', { name: 'Buy' }).click()
  await dialog.waitFor()
  await evaluate((selector) => document.querySelector(selector)?.remove(), 'hydrant-overlay')
  await dialog.waitFor()
  t.ok(
    await evaluate(
      (selector) => document.querySelector(selector)?.shadowRoot?.querySelector(':modal') !== null,
      'hydrant-overlay',
    ),
  )
})

t.test('an error of another page waits behind a button', async (t) => {
  await site.removeErrors()
  await fetch(site.at('/broken'), { headers: { accept: 'text/html' } })
  const { page: opened, dialog, hydrated, errors } = await site.open('/')
  await opened.getByRole('button', { name: '1 error' }).waitFor()
  await hydrated()
  t.notOk(await dialog.isVisible())
  t.strictSame(errors, [], 'the page hydrates beside the button')
})

t.test('an event that fails in the browser appears over the page, and can be closed', async (t) => {
  // In development the overlay needs the reports.
  site.write('hydrant.config.ts', 'export default { reports: { enabled: false } }\n')
  await dev.waitFor(/^updated in .*hydrant\.config\.ts/)
  const { page: opened, dialog, hydrated } = await site.open('/click')
  await hydrated()
  t.equal(await opened.locator('hydrant-overlay').count(), 0)
  await opened.getByRole('button', { name: 'Buy' }).click()
  await dialog.waitFor()
  const text = await dialog.innerText()
  t.match(text, 'Browser error')
  t.match(text, 'TypeError: no basket')
  t.match(text, /> 3 \| {5}throw new TypeError/)
  t.match(text, /Browser\s+Chrome \d+/)
  await dev.waitFor(/^Browser error {2}The page \/click failed in the browser \(Chrome \d+\)$/)

  await opened.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await opened.getByRole('button', { name: '1 error' }).click()
  await dialog.waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await opened.getByRole('button', { name: 'Buy' }).isVisible())
})
