/// <reference lib="dom" />

// Behavior that depends on the browser, in Firefox: stacks, and the Navigation API.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { serverSentence } from '../../src/shared/wire/public-error.ts'
import { buildApp } from '../build-app.ts'
import { builtFiles } from '../server/served.ts'
import { startSite } from '../site-server.ts'
import { launchChromium } from './chromium.ts'
import { launchFirefox } from './firefox.ts'

const SOURCES = 'test/apps/failures'

/** The line where each button of `pages/buttons.tsx` fails. */
const EXPECTED = ['pages/buttons.tsx', 'parts/late.tsx', 'parts/total.ts'].flatMap((file) =>
  readFileSync(join(SOURCES, file), 'utf8')
    .split('\n')
    .flatMap((code, index) => {
      const id = / \/\/ place: (.+)$/.exec(code)?.[1]
      return id === undefined ? [] : [{ id, place: `(${file}:${index + 1}:` }]
    }),
)

const firefox = await launchFirefox(t)

t.test('a failure in Firefox leads to its line, and is the same failure as in Chromium', async (t) => {
  const dir = await buildApp(t, 'failures')
  t.equal(builtFiles(dir).manifest.mode, 'production')
  const site = await startSite(t, { dir })
  const url = `http://127.0.0.1:${site.port}/buttons`
  const chromium = await launchChromium(t)
  const open = await chromium.open({}, t)
  const wrong: string[] = []
  for (const { id, place } of EXPECTED) {
    const before = site.lines.length
    const next = (count: number) =>
      site.waitForLine((line) => site.lines.slice(before).filter(({ side }) => side === 'client')[count] === line)
    await open.goto(url, 'load')
    await open.hydrated()
    await open.page.click(`#${id}`)
    const inChromium = await next(0)
    await firefox.goto(url)
    await firefox.hydrated()
    await firefox.click(`#${id}`)
    const inFirefox = await next(1)
    const first = inFirefox.err?.stack.split('\n')[1]
    if (!first?.includes(place)) wrong.push(`${id}: ${first} instead of ${place}`)
    // Firefox reports, in its own words, an error that no code has thrown.
    const isSame = inFirefox.digest?.slice(0, 8) === inChromium.digest?.slice(0, 8)
    if (!isSame && id !== 'import') wrong.push(`${id}: the fingerprint`)
  }
  t.strictSame(wrong, [])
  t.equal(EXPECTED.length, 13)
})

t.test('the site works in Firefox: in one document, including forms and failures', async (t) => {
  const site = await startSite(t)
  const go = (href: string) =>
    firefox.evaluate((href) => {
      const link = document.createElement('a')
      link.href = href
      document.body.append(link)
      link.click()
      link.remove()
    }, href)
  await firefox.goto(`http://127.0.0.1:${site.port}/`)
  await firefox.hydrated()
  await firefox.evaluate(() => {
    document.documentElement.dataset.mark = 'here'
  }, null)
  await go('/docs')
  await firefox.shows('h1', 'Documentation')
  await firefox.evaluate(() => history.back(), null)
  await firefox.shows('h1', 'rendered and streamed by Fastify')

  await go('/failures/f3/fail')
  await firefox.shows('[role=alert]', serverSentence('127.0.0.1'))
  const shown = await firefox.evaluate(() => document.querySelector('[role=alert] code')?.textContent, null)
  const { digest } = await site.waitForLine(({ phase }) => phase === 'load')
  t.equal(shown, `Digest: ${digest}`)
  t.equal(await firefox.evaluate(() => location.pathname, null), '/failures/f3/fail')

  await go('/notes')
  await firefox.shows('h1', 'Notes')
  await firefox.evaluate(() => {
    const text = document.querySelector('textarea') as HTMLTextAreaElement
    text.value = 'written in Firefox'
  }, null)
  await firefox.click('form > .button')
  await firefox.shows('li', 'written in Firefox')
  t.equal(await firefox.evaluate(() => document.documentElement.dataset.mark, null), 'here', 'all in one document')
  t.strictSame(
    site.lines.filter(({ side }) => side === 'client'),
    [],
  )

  await firefox.goto(`http://127.0.0.1:${site.port}/failures/f9/fail`)
  const { err } = await site.waitForLine(({ side }) => side === 'client')
  t.match(
    err?.stack,
    /\n {4}at (?:\S+ \()?pages\/failures\/f9\/fail\.tsx:\d+:\d+\)?\n/,
    'what fits no component of its own is the page’s',
  )
  t.match(err?.stack, '    at main (<anonymous>)')
})
