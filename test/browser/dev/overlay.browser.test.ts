// The overlay of `hydrant dev`: failures of the server and the browser, with their places in the source.

import t from 'tap'
import { writeFiles } from '../../server/served.ts'
import { developSite } from './overlay-site.ts'

const DIGEST = /[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}/

/** A package, and a page that imports it: other tests use the site without the package. */
const SHOP = {
  'pages/fails/shop.tsx': `import { refuse } from 'failing-package'
import { buy } from '../../parts/buy.ts'
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
  'node_modules/failing-package/package.json': '{ "name": "failing-package", "type": "module", "main": "index.js" }',
  'node_modules/failing-package/index.js': 'export function refuse(value) {\n  throw value\n}\n',
}

const site = await developSite(t, 'dev', { prepare: (dir) => writeFiles(dir, SHOP) })
const { dev } = site

t.test('a load that fails is shown with its digest, its code and its cause until it is mended', async (t) => {
  const { page: opened, dialog } = await site.open('/fails/products')
  await dialog.waitFor()
  t.equal(await dialog.getByRole('heading', { level: 1 }).textContent(), 'The load of /fails/products failed')
  const text = await dialog.innerText()
  t.match(text, 'Server error')
  t.match(text, 'Error: no products')
  t.match(text, /> {2}7 \| {5}throw new Error\('no products', \{ cause \}\)/)
  t.match(text, /Caused by\s+Error: no database/)
  const digest = DIGEST.exec(text)?.[0] ?? ''
  t.match(text, `npx hydrant errors ${digest} ${site.dir} --dev`)
  await site.dev.waitFor(new RegExp(`^Digest ${digest},`))
  t.match(await opened.locator('body').innerText(), `Digest: ${digest}`, 'the fallback of production is below')
  t.ok(await dialog.getByRole('button', { name: 'Open parts/connect.ts:2:9 in the editor' }).isVisible())

  site.write('pages/fails/products.server.ts', 'export const load = () => null\n')
  await opened.getByText('products', { exact: true }).waitFor()
  await dialog.waitFor({ state: 'hidden' })
  t.equal(await dialog.count(), 0)
})

t.test('a root layout that fails is shown above the plain fallback until it is mended', async (t) => {
  const NO_FRAME = "throw new Error('no frame')"
  for (const [file, from, to, line] of [
    ['layout.tsx', '  return', `  if (children) ${NO_FRAME}\n  return`, 5],
    ['layout.server.ts', '() => null', `() => {\n  ${NO_FRAME}\n}`, 2],
  ] as const) {
    const path = `pages/${file}`
    await site.removeErrors()
    site.edit(path, from, to)
    await dev.waitFor(new RegExp(`^updated in .*${path.replaceAll('.', '\\.')}`))
    const { page: opened, dialog } = await site.open('/')
    await dialog.waitFor()
    const text = await dialog.innerText()
    t.match(text, 'Error: no frame', path)
    t.match(text, new RegExp(`> +${line} \\|.*throw new Error\\('no frame'\\)`), path)
    const digest = DIGEST.exec(text)?.[0] ?? ''
    t.match(await opened.locator('body').innerText(), `Digest: ${digest}`, 'the fallback of production is below')

    site.edit(path, to, from)
    await opened.getByText('home', { exact: true }).waitFor()
    await dialog.waitFor({ state: 'hidden' })
    t.equal(await dialog.count(), 0, path)
  }
})

t.test('a component that fails is shown with the components around it', async (t) => {
  await site.removeErrors()
  const { dialog } = await site.open('/fails/total')
  await dialog.waitFor()
  t.match(await dialog.innerText(), 'The page /fails/total failed while it rendered')
  const components = await dialog.getByRole('list', { name: 'Components' }).getByRole('listitem').allInnerTexts()
  t.match(
    components.join('\n'),
    /^Total\s+pages\/fails\/total\.tsx:1:\d+\nPage\s+pages\/fails\/total\.tsx:5:\d+\nLayout\s/,
  )
  await dev.waitFor(/^ {2}> 2 \| {3}return <b>/)
  await dev.waitFor(/^ {2}in Total \(pages\/fails\/total\.tsx:1:\d+\)$/)
  t.equal(dev.lines.filter((line) => line.includes('reading')).length, 1, 'it is printed once')
})

t.test('a text that is thrown in the browser is shown with its line', async (t) => {
  await site.removeErrors()
  const { page: opened, dialog, hydrated } = await site.open('/fails/shop')
  await hydrated()
  await opened.getByRole('button', { name: 'Buy' }).click()
  await dialog.getByText('string: no basket').waitFor()
  t.match(await dialog.innerText(), /> 3 \| {3}throw 'no basket'/)
  t.ok(await dialog.getByRole('button', { name: 'Open parts/buy.ts:3:9 in the editor' }).isVisible())
  await dev.waitFor(/^ {2}> 3 \| {3}throw 'no basket'/)
  await opened.keyboard.press('Escape')
  await opened.getByRole('button', { name: 'Return' }).click()
  await dialog.getByText('string: a refund').waitFor()
  t.match(await dialog.innerText(), /> {2}6 \| {5}refuse\('a refund'\)/)
  await dev.waitFor(/^ {2}> 6 \| {5}refuse\('a refund'\)/)
})

t.test('the overlay remains when the document loses it', async (t) => {
  await site.removeErrors()
  const { page: opened, dialog, hydrated, evaluate } = await site.open('/fails/click')
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
  await fetch(site.at('/fails/broken'), { headers: { accept: 'text/html' } })
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
  const { page: opened, dialog, hydrated } = await site.open('/fails/click')
  await hydrated()
  t.equal(await opened.locator('hydrant-overlay').count(), 0)
  await opened.getByRole('button', { name: 'Buy' }).click()
  await dialog.waitFor()
  const text = await dialog.innerText()
  t.match(text, 'Browser error')
  t.match(text, 'TypeError: no basket')
  t.match(text, /> 3 \| {5}throw new TypeError/)
  t.match(text, /Browser\s+Chrome \d+/)
  await dev.waitFor(/^Browser error {2}The page \/fails\/click failed in the browser \(Chrome \d+\)$/)

  await opened.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await opened.getByRole('button', { name: '1 error' }).click()
  await dialog.waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await opened.getByRole('button', { name: 'Buy' }).isVisible())
})
