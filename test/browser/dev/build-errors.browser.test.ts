// Errors of the build in the browser, operated by keyboard, with links to the developer's editor.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../../until.ts'
import { developSite } from './overlay-site.ts'

const GOOD = 'export default function Page() {\n  return <p>mended</p>\n}\n'

/** Writes a program that writes its arguments to a file, one per line. */
function createEditor(): { program: string; opened: string } {
  // `createSite` empties the folder of the test.
  const dir = mkdtempSync(join(tmpdir(), 'editor-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const [program, opened] = [join(dir, 'editor'), join(dir, 'opened.txt')]
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`)
  chmodSync(program, 0o755)
  return { program, opened }
}

const BROKEN = GOOD.replace('</p>', '</b>')
const { program, opened } = createEditor()
const site = await developSite(
  t,
  {
    'pages/index.tsx': BROKEN,
    'pages/other.tsx': "import './missing.ts'\nexport default () => <p>other</p>\n",
    'pages/failing.tsx': GOOD,
    'pages/failing.server.ts': "export const load = () => { throw new Error('first') }\n",
  },
  { env: { LAUNCH_EDITOR: program } },
)

t.test('a site that does not build is shown as a page that goes away when it is mended', async (t) => {
  const { page, dialog } = await site.open('/')
  await dialog.waitFor()
  t.equal(await page.getByRole('heading', { level: 1 }).count(), 1, 'the text for clients without JavaScript is hidden')
  t.match(await dialog.innerText(), /HYD_BUILD_SYNTAX[\s\S]*1 of 2[\s\S]*> 2 \| {3}return <p>mended<\/b>/)
  t.match(await dialog.innerText(), 'Try: Correct the source at that place.')
  t.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0)

  await page.keyboard.press('ArrowRight')
  t.match(await dialog.innerText(), /HYD_BUILD_UNRESOLVED[\s\S]*2 of 2[\s\S]*cannot find "\.\/missing\.ts"/)
  await dialog.getByRole('button', { name: 'Next error' }).click()
  t.match(await dialog.innerText(), '1 of 2')

  site.write('pages/index.tsx', GOOD)
  site.write('pages/other.tsx', 'export default () => <p>other</p>\n')
  await page.getByText('mended', { exact: true }).waitFor()
  await dialog.waitFor({ state: 'hidden' })
  t.equal(await dialog.count(), 0)

  // Only a check of the site finds this: the module compiles.
  site.write('pages/index.tsx', GOOD.replace('<p>', "<p onClick={() => {\n    'use server'\n  }}>"))
  await dialog.waitFor()
  t.match(await dialog.innerText(), /HYD_BUILD_USE_SERVER[\s\S]*> 3 \| {5}'use server'/)
  site.write('pages/index.tsx', GOOD)
  await page.getByText('mended', { exact: true }).waitFor()
  await until(async () => (await dialog.count()) === 0)
})

t.test('the keyboard reaches every control in order, and opens the place in the editor', async (t) => {
  const { page, dialog } = await site.open('/failing')
  await dialog.waitFor()
  const focused = () =>
    page.evaluate(() => {
      const element = document.querySelector('hydrant-overlay')?.shadowRoot?.activeElement
      return element?.getAttribute('aria-label') ?? element?.localName
    })
  const reached = [await focused()]
  for (const _ of Array(3)) {
    await page.keyboard.press('Tab')
    reached.push(await focused())
  }
  t.strictSame(reached, [
    'dialog',
    'Close',
    'Open pages/failing.server.ts:1:35 in the editor',
    'Source of pages/failing.server.ts',
  ])
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await until(() => existsSync(opened))
  t.match(readFileSync(opened, 'utf8').trim().split('\n'), [join(site.dir, 'pages/failing.server.ts'), '1', '35'])
})

t.test('says what to set when no editor opens', async (t) => {
  rmSync(program)
  const { dialog } = await site.open('/failing')
  await dialog.getByRole('button', { name: /^Open pages/ }).click()
  const note = dialog.getByText('Set LAUNCH_EDITOR to the command of your editor')
  await note.waitFor()
  t.match(await note.innerText(), `The editor failed: spawn ${program} ENOENT`)
})

t.test('fits narrow and wide windows, light and dark', async (t) => {
  site.write('pages/index.tsx', BROKEN)
  for (const width of [320, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, dialog, evaluate } = await site.open('/', { width, colorScheme })
      await dialog.waitFor()
      const scrolled = await evaluate(() => document.documentElement.scrollWidth - window.innerWidth, null)
      t.ok(scrolled <= 0, `no line is cut at ${width}`)
      const box = await dialog.boundingBox()
      t.ok(box && box.x >= 0 && box.x + box.width <= width)
      const colors = await dialog.evaluate((element) => {
        const { color, backgroundColor } = getComputedStyle(element)
        return { color, backgroundColor }
      })
      const dark = { color: 'rgb(232, 235, 234)', backgroundColor: 'rgb(26, 30, 32)' }
      const light = { color: 'rgb(22, 25, 27)', backgroundColor: 'rgb(255, 255, 255)' }
      t.strictSame(colors, colorScheme === 'dark' ? dark : light)
      await page.close()
    }
  }
})

t.test('a problem of another page does not open over a page, which stays usable', async (t) => {
  site.write('pages/linked.tsx', 'export default () => <a href="/other">to other</a>\n')
  site.write('pages/index.tsx', GOOD)
  const { page, dialog } = await site.open('/linked')
  await page.getByText('to other').waitFor()
  site.write('pages/index.tsx', BROKEN)
  await page.getByRole('button', { name: '1 error' }).waitFor()
  t.notOk(await dialog.isVisible())
  await page.getByText('to other').click()
  await page.getByText('other', { exact: true }).waitFor()
  site.write('pages/other.tsx', 'export default () => <p>edited</p>\n')
  await page.getByText('edited', { exact: true }).waitFor()
  await page.getByRole('button', { name: '1 error' }).click()
  t.match(await dialog.innerText(), /HYD_BUILD_SYNTAX[\s\S]*pages\/index\.tsx/)
  site.write('pages/index.tsx', GOOD)
  await until(async () => (await dialog.count()) === 0)
})
