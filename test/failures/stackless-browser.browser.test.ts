// Values that a browser throws without a stack, or in a function of Hydrant's, lead to the site's own line.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { MAX_PRIMITIVES, MAX_REPORTS } from '../../src/shared/wire/report-format.ts'
import { launchChromium } from '../browser/chromium.ts'
import { copyApp } from '../build-app.ts'
import { writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { startSite } from '../site-server.ts'

const FILES = ['pages/browser/index.tsx', 'parts/handlers.ts', 'parts/shared-parts.tsx']
/** A package, and the page that uses it. They are text, because the folder of packages is not part of the repository. */
const PACKAGE = {
  'node_modules/failing-package/package.json': '{ "name": "failing-package", "type": "module", "main": "index.js" }',
  'node_modules/failing-package/index.js': 'export function fail(value) {\n  throw value\n}\n',
  'pages/browser/package.tsx': `import { fail } from 'failing-package'
export default function Page() {
  return <button id="package" type="button" onClick={() => fail('text')}>package</button>
}
`,
}
/** A script that the build has not marked. */
const NOT_BUILT = "self.notBuilt = { fail() { throw 'text' }, reject() { Promise.reject('foreign') } }"

const chromium = await launchChromium(t)
const dir = copyApp(t, 'stackless')
writeFiles(dir, PACKAGE)
const { manifest } = await buildSharing({ dir })
const site = await startSite(t, { dir, env: { HYDRANT_LEDGER: 'false' } })
const PLACES = new Map(FILES.flatMap(listPlaces))

/** Lists the lines of a file that a name marks: at their end, or below them. */
function listPlaces(file: string): [name: string, place: string][] {
  const lines = readFileSync(join(dir, file), 'utf8').split('\n')
  return lines.flatMap((text, index) => {
    const [, mark, name] = / \/\/ (place|begins): (\w+)$/.exec(text) ?? []
    return name === undefined ? [] : [[name, `${file}:${mark === 'place' ? index + 1 : index}`] as [string, string]]
  })
}

/** `open` opens a page, and `press` returns the first line of the site in the stack of a failure. */
async function openTab() {
  const { page, goto, hydrated, click, count } = await chromium.open()
  await page.addInitScript(NOT_BUILT)
  return {
    click,
    count,
    async open(path = '/browser') {
      await goto(`http://127.0.0.1:${site.port}${path}`, 'load')
      await hydrated()
    },
    async press(name: string) {
      const reported = page.waitForResponse((response) => new URL(response.url()).pathname === '/_hydrant/report')
      await click(`#${name}`)
      const id = await (await reported).headerValue('x-request-id')
      const { err } = await site.waitForLine(({ reqId, digest }) => reqId === id && digest !== undefined)
      const stack = err?.stack ?? ''
      const [found] = stack.matchAll(/^ {4}at (?:.*\()?((?:pages|parts)\/[^\s()]+:\d+):\d+\)?$/gm)
      return { place: found?.[1], stack }
    },
  }
}

t.test('leads to the line that throws', async (t) => {
  t.equal(manifest.mode, 'production')
  t.equal(PLACES.size, 42)
  const { count, open, press } = await openTab()
  let reports = MAX_REPORTS
  const wrong: string[] = []
  for (const [name, place] of PLACES) {
    if (name === 'many') continue
    // A component that fails takes the buttons away.
    if (reports === MAX_REPORTS || (await count(`#${name}`)) === 0) {
      await open()
      reports = 0
    }
    const found = await press(name)
    if (found.place !== place) wrong.push(`${name}: ${found.stack}`)
    reports++
  }
  t.strictSame(wrong, [])
})

t.test('a value that a package throws leads to the line that calls the package', async (t) => {
  const { open, press } = await openTab()
  await open('/browser/package')
  const { place, stack } = await press('package')
  t.equal(place, 'pages/browser/package.tsx:3', stack)
})

t.test('values that one document throws, many or equal, lead to the line of each', async (t) => {
  const { click, open, press } = await openTab()
  await open()
  const wrong: string[] = []
  for (const name of ['event', 'shared', 'timer', 'async', 'swallowed', 'again', 'rejection']) {
    if (name === 'swallowed') await click('#swallowed')
    else if ((await press(name)).place !== PLACES.get(name)) wrong.push(name)
  }
  t.strictSame(wrong, [])
  await open(`/browser?many=${MAX_PRIMITIVES}`)
  t.equal((await press('many')).place, PLACES.get('many'))
})
