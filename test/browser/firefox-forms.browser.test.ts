/// <reference lib="dom" />

// Forms in Firefox: forms handled in place send what Firefox sends itself, and the same forms are left to it. Fields show
// what has been stored.

import t from 'tap'
import { until } from '../until.ts'
import { launchFirefox } from './firefox.ts'
import { IN_PLACE, KINDS_FILES, LEFT, NOT_SENT } from './form-kinds.ts'
import { type Done, startInPlace } from './in-place-site.ts'

const STORED_FILES = {
  'pages/stored.tsx': `
import { useState } from 'react'
const options = ['a', 'b', 'c'].map((value) => <option key={value}>{value}</option>)
export default function Stored({ data }) {
  const [own, setOwn] = useState('a')
  return <form method="post">
    <select name="choice" defaultValue={data.choice}>{options}</select>
    <select name="many" multiple defaultValue={data.many}>{options}</select>
    <select name="own" value={own} onChange={({ target }) => setOwn(target.value)}>{options}</select>
    <output>{data.count} <b>times</b></output><button id="store">Store</button>
    <p id="stored">{data.count} {data.choice} {data.many.join()} {own}</p>
  </form>
}
`,
  'pages/stored.server.ts': `
const NEXT = { a: 'b', b: 'c', c: 'a' }
let stored = { count: 0, choice: 'a', many: ['a'] }
export const load = () => stored
export const action = ({ form }) => {
  stored = { count: stored.count + 1, choice: NEXT[form.get('choice')], many: form.getAll('many').map((value) => NEXT[value]) }
}
`,
}

const { origin, done } = await startInPlace(t, { ...KINDS_FILES, ...STORED_FILES })
const firefox = await launchFirefox(t)

async function visit(path: string) {
  await firefox.goto(origin + path)
  await mark()
}

/** Marks the document when it is hydrated. The mark is lost with the document. */
async function mark() {
  await firefox.hydrated()
  await firefox.evaluate(() => {
    document.documentElement.dataset.mark = 'here'
  }, null)
}

const isInPlace = () => firefox.evaluate(() => document.documentElement.dataset.mark === 'here', null)

async function nextDone(): Promise<Done[]> {
  let all: Done[] = []
  await until(async () => {
    all = await done()
    return all.length > 0
  })
  return all
}

for (const kind of Object.keys(IN_PLACE)) {
  t.test(`handled in place: ${kind}`, async (t) => {
    await visit('/kinds')
    await firefox.evaluate(() => {
      for (const form of document.querySelectorAll('form')) form.setAttribute('data-hydrant-reload', '')
    }, null)
    await firefox.click(`#${kind}`)
    await firefox.shows('#data', 'answered')
    t.notOk(await isInPlace())
    const expected = await nextDone()
    // The response is the same page, whose forms have no such attribute.
    await mark()
    const count = await firefox.evaluate(
      () => Number.parseInt(document.querySelector('#count')?.textContent ?? '', 10),
      null,
    )
    await firefox.click(`#${kind}`)
    await firefox.shows('#count', `${count + 1} done`)
    t.ok(await isInPlace())
    t.strictSame(await nextDone(), expected)
  })
}

// Unlike Chromium, Firefox submits a form whose event a script has created.
for (const kind of [...Object.keys(LEFT), 'event']) {
  t.test(`left to the browser: ${kind}`, async (t) => {
    await visit(kind in LEFT ? '/left' : '/not-sent')
    await firefox.click(`#${kind}`)
    await until(async () => !(await isInPlace()))
    t.equal((await nextDone()).length, 1, 'sent once')
  })
}

for (const kind of Object.keys(NOT_SENT).filter((kind) => kind !== 'late' && kind !== 'event')) {
  t.test(`not sent at all: ${kind}`, async (t) => {
    await visit('/not-sent')
    await firefox.click(`#${kind}`)
    await firefox.evaluate(() => fetch('/asked').then(() => {}), null)
    t.ok(await isInPlace())
    t.strictSame(await done(), [])
  })
}

t.test('selects show what has been stored, and send it', async (t) => {
  await visit('/stored')
  await firefox.evaluate(() => {
    for (const select of document.querySelectorAll('select')) {
      for (const option of select.options)
        option.selected = option.value === 'b' || (select.multiple && option.value === 'c')
      for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }))
    }
  }, null)
  await firefox.click('#store')
  await firefox.shows('#stored', '1 c c,a b')
  const read = () =>
    firefox.evaluate(() => {
      const selected = [...document.querySelectorAll('select')].map(({ selectedOptions }) => selectedOptions)
      const values = selected.map((options) => [...options].map(({ value }) => value).join())
      return [...values, document.querySelector('output')?.textContent, document.querySelectorAll('output b').length]
    }, null)
  t.strictSame(await read(), ['c', 'a,c', 'b', '1 times', 1])
  await firefox.click('#store')
  await firefox.shows('#stored', '2 a b,a b')
  t.strictSame(await read(), ['a', 'a,b', 'b', '2 times', 1])
  t.ok(await isInPlace())
})
