/// <reference lib="dom" />

// Submissions in Firefox.

import t from 'tap'
import { until } from '../until.ts'
import { launchFirefox } from './firefox.ts'
import { startInPlace } from './in-place-site.ts'

const { done, openGate, origin, set } = await startInPlace(t)
const firefox = await launchFirefox(t)

async function visit(path: string) {
  await firefox.goto(origin + path)
  await firefox.hydrated()
  await firefox.evaluate(() => {
    document.documentElement.dataset.mark = 'here'
  }, null)
}

const isInPlace = () => firefox.evaluate(() => document.documentElement.dataset.mark === 'here', null)
const textOf = (selector: string) =>
  firefox.evaluate((selector) => document.querySelector(selector)?.textContent ?? null, selector)

function fill(selector: string, text: string) {
  return firefox.evaluate(
    ([selector, text]) => {
      const input = document.querySelector<HTMLInputElement>(selector)
      if (input) input.value = text
    },
    [selector, text] as const,
  )
}

t.test('the result is on the screen at once, and what was there stays', async (t) => {
  await visit('/list')
  await until(async () => (await textOf('#reviews'))?.startsWith('reviews'))
  const reviews = await textOf('#reviews')
  await set({ reviews: 'slow' })
  await fill('#own [name=text]', 'first')
  await firefox.click('#own-send')
  await firefox.shows('#own-data', 'first')
  t.equal(await textOf('#reviews'), reviews)
  await set({ reviews: 'fast' })
  await openGate('reviews')
  await until(async () => (await textOf('#reviews')) !== reviews)
  t.ok(await isInPlace())
  await done()
})

t.test('each submission has its own state', async (t) => {
  await visit('/list')
  await fill('#row-a [name=text]', 'wait-a')
  await firefox.click('#row-a .send')
  await until(async () => (await done()).length > 0)
  await firefox.shows('#row-a .pending', 'true')
  await firefox.shows('#row-a .status', 'true')
  t.equal(await textOf('#row-b .pending'), 'false')
  await openGate('wait-a')
  await firefox.shows('#row-a .data', 'wait-a')
  await firefox.shows('#row-a .status', 'false')
  await firefox.shows('#row-a .sent', 'none')
  await firefox.click('#row-failing .send')
  await firefox.shows('#row-failing .error', 'digest')
  t.ok(await isInPlace())
  await done()
})

t.test('clicks and submissions by scripts are handled in place', async (t) => {
  await visit('/ways')
  for (const [text, act] of [
    ['clicked', () => document.querySelector<HTMLElement>('#send')?.click()],
    ['requested', () => document.querySelector<HTMLFormElement>('#form')?.requestSubmit()],
  ] as const) {
    await fill('#form [name=text]', text)
    await firefox.evaluate(act, null)
    await firefox.shows('#data', text)
    t.equal((await done()).length, 1)
  }
  t.ok(await isInPlace())
})

t.test('an upload has a progress from 0 to 1', async (t) => {
  await visit('/upload')
  await firefox.evaluate(() => {
    const files = new DataTransfer()
    files.items.add(new File(['a'.repeat(900_000)], 'a.bin'))
    const input = document.querySelector<HTMLInputElement>('#form [name=file]')
    if (input) input.files = files.files
  }, null)
  await firefox.click('#send')
  await firefox.shows('#data', 'a.bin 900000')
  const seen = JSON.parse((await textOf('#seen')) ?? '') as number[]
  t.same([seen[0], seen.at(-1)], [0, 1])
  t.ok(await isInPlace())
})
