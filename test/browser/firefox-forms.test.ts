/// <reference lib="dom" />

// Forms in Firefox: forms handled in place send what Firefox sends itself, and the same forms are left to it.

import t from 'tap'
import { until } from '../until.ts'
import { launchFirefox } from './firefox.ts'
import { IN_PLACE, KINDS_FILES, LEFT, NOT_SENT } from './form-kinds.ts'
import { type Done, startInPlace } from './in-place-site.ts'

const { origin, done } = await startInPlace(t, KINDS_FILES)
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
