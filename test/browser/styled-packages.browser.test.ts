/// <reference lib="dom" />

// Packages whose scripts import stylesheets, in production and in development.

import t, { type Test } from 'tap'
import { createServer } from '../../src/server/index.ts'
import { copyApp } from '../build-app.ts'
import { startCli } from '../scripts/run-cli.ts'
import { buildSharing } from '../shared-compression.ts'
import { launchChromium } from './chromium.ts'
import { writePackages } from './module-packages.ts'

const chromium = await launchChromium(t)

function copyPackages(t: Test): string {
  const dir = copyApp(t, 'modules')
  writePackages(dir)
  return dir
}

async function checkPage(t: Test, origin: string) {
  const url = new URL('/styled', origin).href
  const html = await (await fetch(url)).text()
  t.match(html, 'own version')
  t.match(html, 'version of the site')
  t.match(html, 'utc,dark')
  const { page, errors, goto, hydrated } = await chromium.open({}, t)
  await goto(url, 'load')
  await hydrated()
  await page.click('#outer')
  await page.waitForSelector('#outer:has-text("outer own version 1")')
  t.equal(await page.textContent('#inner'), 'inner/')
  const colorOf = (selector: string) =>
    page.evaluate((selector) => {
      const element = document.querySelector(selector)
      return element && getComputedStyle(element).color
    }, selector)
  t.equal(await colorOf('#inner'), 'rgb(1, 2, 3)')
  t.equal(await colorOf('#parts'), 'rgb(4, 5, 6)')
  t.same(errors, [])
}

t.test('packages with stylesheets in production', async (t) => {
  const dir = copyPackages(t)
  await buildSharing({ dir })
  const app = await createServer({ dir, logger: false })
  t.teardown(() => app.close())
  await checkPage(t, await app.listen({ port: 0, host: '127.0.0.1' }))
})

t.test('packages with stylesheets in development', async (t) => {
  const dir = copyPackages(t)
  for (const run of ['first start', 'second start']) {
    const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
    const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
    await t.test(run, (t) => checkPage(t, url))
    await dev.stop()
    const hasBundled = dev.lines.some((line) => line.startsWith('bundling the packages'))
    t.equal(hasBundled, run === 'first start', `${run} bundles only what no start before it has bundled`)
  }
})
