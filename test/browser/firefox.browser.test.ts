/// <reference lib="dom" />

// Behavior that depends on the browser, in Firefox: stacks, and the Navigation API.

import t from 'tap'
import { serverSentence } from '../../src/shared/wire/error-messages.ts'
import { createSite } from '../scripts/create-site.ts'
import { buildSharing } from '../shared-compression.ts'
import { startSite } from '../site-server.ts'
import { launchChromium } from './chromium.ts'
import { launchFirefox } from './firefox.ts'

const PAGE = `import { Component, lazy, Suspense, useEffect, useState } from 'react'
import { total } from '../parts/total.ts'
const Late = lazy(() => import('../parts/late.tsx'))
export default function Page() {
  const [part, setPart] = useState('')
  return <main>
    <button id="render" onClick={() => setPart('render')}>render</button>
    <button id="effect" onClick={() => setPart('effect')}>effect</button>
    <button id="value" onClick={() => setPart('value')}>value</button>
    <button id="class" onClick={() => setPart('class')}>class</button>
    <button id="late" onClick={() => setPart('late')}>late</button>
    <button id="event" onClick={() => fail('event')}>event</button>
    <button id="arrow" onClick={() => {
      throw new Error('arrow') // fails: arrow
    }}>arrow</button>
    <button id="rejection" onClick={() => void reject()}>rejection</button>
    <button id="awaited" onClick={() => void awaits()}>awaited</button>
    <button id="timer" onClick={() => wait()}>timer</button>
    <button id="import" onClick={() => total(null)}>import</button>
    <button id="text" onClick={() => say('text')}>text</button>
    <button id="promised" onClick={() => void saysLater()}>promised</button>
    {part === 'render' && <Broken />}
    {part === 'value' && <Value code={7} />}
    {part === 'effect' && <Effect />}
    {part === 'class' && <Class />}
    {part === 'late' && <Suspense fallback="waits"><Late /></Suspense>}
  </main>
}
function Broken(): never {
  throw new Error('render') // fails: render
}
function Effect() {
  useEffect(() => {
    throw new Error('effect') // fails: effect
  })
  return null
}
class Class extends Component {
  render(): never {
    throw new Error('class') // fails: class
  }
}
function Value({ code }: { code: number }): never {
  throw { code } // fails: value
}
function say(text: string) {
  throw text // fails: text
}
async function saysLater() {
  await null
  await new Promise((_, reject) => reject('promised')) // fails: promised
}
function fail(message: string) {
  throw new Error(message) // fails: event
}
async function reject() {
  await null
  throw new Error('rejection') // fails: rejection
}
async function awaits() {
  await save()
}
async function save() {
  await null
  throw new Error('awaited') // fails: awaited
}
function wait() {
  setTimeout(() => {
    throw new Error('timer') // fails: timer
  })
}
`

const FILES = {
  'pages/index.tsx': PAGE,
  'parts/late.tsx': "export default function Late(): never {\n  throw new Error('late') // fails: late\n}\n",
  'parts/total.ts': `export function total(basket: { items: number[] } | null) {
  // A line of comment.
  return basket!.items.length // fails: import
}
`,
}

/** The line where each button's handler fails. */
const EXPECTED = Object.entries(FILES).flatMap(([file, source]) =>
  source.split('\n').flatMap((code, index) => {
    const id = / \/\/ fails: (.+)$/.exec(code)?.[1]
    return id === undefined ? [] : [{ id, place: `(${file}:${index + 1}:` }]
  }),
)

const firefox = await launchFirefox(t)

t.test('a failure in Firefox leads to its line, and is the same failure as in Chromium', async (t) => {
  const dir = createSite(t, FILES)
  const { manifest } = await buildSharing({ dir })
  t.equal(manifest.mode, 'production')
  const site = await startSite(t, { dir })
  const origin = `http://127.0.0.1:${site.port}`
  const chromium = await launchChromium(t)
  const open = await chromium.open({}, t)
  for (const { id, place } of EXPECTED) {
    const before = site.lines.length
    const next = (count: number) =>
      site.waitForLine((line) => site.lines.slice(before).filter(({ side }) => side === 'client')[count] === line)
    await open.goto(origin, 'load')
    await open.hydrated()
    await open.page.click(`#${id}`)
    const inChromium = await next(0)
    await firefox.goto(origin)
    await firefox.hydrated()
    await firefox.click(`#${id}`)
    const inFirefox = await next(1)
    t.match(inFirefox.err?.stack.split('\n')[1], place, id)
    // Firefox reports, in its own words, an error that no code has thrown.
    if (id !== 'import')
      t.equal(inFirefox.digest?.slice(0, 8), inChromium.digest?.slice(0, 8), `the fingerprint of ${id}`)
  }
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
