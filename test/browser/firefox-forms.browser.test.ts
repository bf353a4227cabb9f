/// <reference lib="dom" />

// Forms in Firefox: forms handled in place send what Firefox sends itself, and the same forms are left to it. Fields show
// what has been stored.

import t from 'tap'
import { until } from '../until.ts'
import { launchFirefox } from './firefox.ts'
import { type Done, kindsOf, startInPlace } from './in-place-site.ts'

const { origin, done } = await startInPlace(t)
const firefox = await launchFirefox(t)

/** Returns the kinds of forms on a page. */
async function listKinds(path: string): Promise<string[]> {
  await firefox.goto(origin + path)
  return await kindsOf(firefox)
}
const inPlace = await listKinds('/kinds')
const left = await listKinds('/left')
const notSent = await listKinds('/not-sent')

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

for (const kind of inPlace) {
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
for (const kind of [...left, 'event']) {
  t.test(`left to the browser: ${kind}`, async (t) => {
    await visit(left.includes(kind) ? '/left' : '/not-sent')
    await firefox.click(`#${kind}`)
    await until(async () => !(await isInPlace()))
    t.equal((await nextDone()).length, 1, 'sent once')
  })
}

for (const kind of notSent.filter((kind) => kind !== 'late' && kind !== 'event')) {
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
