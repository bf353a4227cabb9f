/// <reference lib="dom" />

// Fields in parts that React hydrates late show new data too, unless the visitor has changed them.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { scriptOf, serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'

/** A part whose data is deferred, one whose script is slow, and one in a layout that React renders again meanwhile. */
const PARTS = ['deferred', 'lazy', 'updated'] as const

type Part = (typeof PARTS)[number]

const dir = await buildApp(t, 'fields')
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)
const slow = scriptOf(dir, 'components/slow-fields.tsx')

/** Opens a page whose late part has not been hydrated. */
async function openPage(t: Owner, part: Part) {
  await app.inject('/late/clear')
  const open = await chromium.open({}, t)
  let release!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await open.page.route(`**/${slow}`, async (route) => {
    await released
    await route.fallback()
  })
  await app.inject('/late/gates/steady0')
  if (part !== 'deferred') await app.inject('/late/gates/late0')
  await open.goto(`${origin}/late/${part}`, 'commit')
  await open.hasText('#steady', '0')
  if (part !== 'deferred') await open.hasText('#inner', 'same')
  await open.hydrated()
  await until(() => open.evaluate(() => Object.keys(document.querySelector('#steady') ?? {}).length > 0, null))
  return {
    open,
    async arrive() {
      release()
      await app.inject('/late/gates/late0')
    },
  }
}

/** Returns the round whose data the late part has; undefined before hydration. */
const roundOf = ({ evaluate }: OpenPage) => evaluate(() => document.documentElement.dataset.late, null)

/** Returns what the fields of the late part contain. */
const read = ({ evaluate }: OpenPage) =>
  evaluate(() => {
    const states: Record<string, unknown> = {}
    for (const field of document.querySelectorAll<HTMLInputElement>('#inner :is(input,select,textarea)')) {
      const { selectedOptions } = field as unknown as HTMLSelectElement
      if (selectedOptions) states[field.id] = [...selectedOptions].map(({ value }) => value).join()
      else states[field.id] = ['checkbox', 'radio'].includes(field.type) ? field.checked : field.value
    }
    return states
  }, null)

const CHANGED = { text: 'typed', area: 'typed', b: false, c: true, choice: 'c', grouped: 'c', many: 'c', box: false }

/** Changes fields as a visitor does. The box is changed twice, and so contains what the new data says. */
const change = ({ evaluate }: OpenPage) =>
  evaluate(() => {
    const field = (id: string) => document.getElementById(id) as HTMLInputElement
    for (const id of ['c', 'box', 'box', 'box']) field(id).click()
    for (const id of ['choice', 'grouped', 'many']) {
      const select = document.getElementById(id) as HTMLSelectElement
      for (const option of select.options) option.selected = option.value === 'c'
    }
    for (const id of ['text', 'area', 'comment']) {
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field(id)), 'value')?.set?.call(field(id), 'typed')
    }
    for (const id of ['choice', 'grouped', 'many', 'text', 'area', 'comment']) {
      for (const type of ['input', 'change']) field(id).dispatchEvent(new Event(type, { bubbles: true }))
    }
  }, null)

/** Sends a form, or asks for new data in another way. Resolves when the action runs, if there is one. */
async function send({ evaluate }: OpenPage, button: string) {
  if (!hasAction(button)) await app.inject('/late/next')
  await evaluate((button) => {
    const element = document.querySelector<HTMLButtonElement>(button)
    if (element?.form?.id === 'outer') element.form.requestSubmit(element)
    else element?.click()
  }, button)
  if (hasAction(button)) await until(async () => (await app.inject('/late/acting')).json().isActing)
}

const hasAction = (button: string) => button !== '#refresh' && button !== '#link'

const INSIDE = ['#inside', '#insideHere', '#insideThere']
const OUTSIDE = ['#same', '#here', '#there', '#hooked', '#refresh', '#link']
const BUTTONS: Record<Part, string[]> = {
  deferred: OUTSIDE,
  lazy: [...OUTSIDE, ...INSIDE],
  // A link to another page, and a redirect to it, lose what was typed, as without JavaScript.
  updated: ['#same', '#here', '#hooked', '#refresh', ...INSIDE],
}

/** The late part arrives before the new data, while React waits for another part of it, or after that. */
const ORDERS = ['before', 'between', 'after'] as const

const CASES = PARTS.flatMap((part) =>
  BUTTONS[part].flatMap((button) =>
    ORDERS.filter((order) => order !== 'before' || hasAction(button)).map((order) => ({ part, button, order })),
  ),
)

for (const { part, button, order } of CASES) {
  t.test(`fields of a late part show the new data: ${part} ${button} ${order}`, async (t) => {
    const { open, arrive } = await openPage(t, part)
    const isDeferred = part === 'deferred'
    if (!isDeferred) await change(open)
    await send(open, button)
    if (order === 'before') {
      await arrive()
      await until(async () => (await roundOf(open)) === '0')
      if (isDeferred) await change(open)
    }
    // A script that is slow keeps React from rendering the new data.
    const isGiven = isDeferred
      ? until(() => open.evaluate(() => Reflect.get(globalThis, 'given') === 1, null))
      : hasAction(button) && open.page.waitForResponse((response) => response.url().includes('_hydrant'))
    await app.inject('/late/act')
    await isGiven
    if (order === 'between') {
      await arrive()
      if (isDeferred) {
        await until(async () => (await roundOf(open)) === '0')
        await change(open)
      }
    }
    await app.inject('/late/gates/steady1')
    if (order === 'after') {
      if (isDeferred) await open.hasText('#round', '1')
      await arrive()
    }
    await app.inject('/late/gates/late1')
    await open.hasText('#steady', '1')
    await until(async () => (await roundOf(open)) === '1')
    const isChanged = !button.startsWith('#inside') && !(isDeferred && order === 'after')
    const fresh = {
      text: 'text b',
      area: 'area b',
      a: false,
      b: true,
      c: false,
      choice: 'b',
      grouped: 'b',
      many: 'b',
      box: false,
    }
    const untouched = Object.fromEntries(Object.entries(fresh).map(([id, value]) => [`${id}2`, value]))
    const touched = isChanged ? { ...fresh, ...CHANGED } : fresh
    t.strictSame(await read(open), { ...touched, ...untouched, comment: isChanged ? 'typed' : '' })
    t.same(open.errors, [])
  })
}
