/// <reference lib="dom" />

// What fields show after new data has come: what they show without JavaScript, unless the visitor has changed them.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'

const dir = await buildApp(t, 'fields')
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)

const sent = async (): Promise<Record<string, string>> => (await app.inject('/sent')).json()

async function openPage(t: Owner, path: string, javaScript = true): Promise<OpenPage> {
  await app.inject('/clear')
  const open = await chromium.open({ javaScript }, t)
  await open.goto(origin + path, 'load')
  if (javaScript) await open.hydrated()
  await lateShown(open)
  return open
}

/** A call fails while the page goes to another document. */
const whileLeaving = () => null

/** Resolves when the part of the page that arrives late is visible. */
const lateShown = ({ evaluate }: OpenPage) =>
  until(() => evaluate(() => document.getElementById('late')?.checkVisibility(), null).catch(whileLeaving))

/** Returns what all fields of the page contain, by their ids. */
const read = ({ evaluate }: OpenPage) =>
  evaluate(() => {
    const states: Record<string, unknown> = {}
    for (const field of document.querySelectorAll<HTMLInputElement>('input[id],select[id],textarea[id],output')) {
      const { options } = field as unknown as HTMLSelectElement
      if (options) states[field.id] = [...options].filter(({ selected }) => selected).map(({ value }) => value)
      else states[field.id] = ['checkbox', 'radio'].includes(field.type) ? field.checked : field.value
    }
    return states
  }, null)

/** Changes fields as a visitor does: a text, the values of the selected options, or true for what is clicked. */
const change = ({ evaluate }: OpenPage, values: Record<string, string | string[] | true>) =>
  evaluate((values) => {
    for (const [id, value] of Object.entries(values)) {
      const field = document.getElementById(id) as HTMLInputElement
      const { options } = field as unknown as HTMLSelectElement
      if (value === true) field.click()
      else if (options) for (const option of options) option.selected = value.includes(option.value)
      else Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value)
      if (value === true) continue
      for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
    }
  }, values)

const CHOSEN = {
  text: 'typed',
  number: '2',
  day: '2030-02-02',
  range: '2',
  color: '#020202',
  area: 'typed',
  box: true,
  ticked: true,
  b: true,
  choice: 'b',
  many: ['b', 'c'],
  grouped: 'b',
  none: 'b',
  sized: 'b',
  twin: 'b',
  outside: 'typed',
  outsideChoice: 'b',
  late: 'b',
  keyed: 'typed',
} satisfies Parameters<typeof change>[1]

for (const intent of ['data', 'same', 'query', 'twice']) {
  t.test(`every kind of field shows the new data, as without JavaScript: ${intent}`, async (t) => {
    const seen = []
    for (const javaScript of [false, true]) {
      const open = await openPage(t, '/fields', javaScript)
      await change(open, CHOSEN)
      // A focused field is no exception. Enter stands for the first button.
      if (intent === 'data') await open.press('#number', 'Enter')
      else await open.click(`#${intent}`)
      for (const round of intent === 'twice' ? [1, 2] : [1]) {
        if (round === 2) await open.click('#twice')
        await until(async () => (await open.read('#round')) === String(round))
        await lateShown(open)
      }
      const states = await read(open)
      await open.click('#data')
      await until(async () => (await sent()).round === (intent === 'twice' ? '3' : '2'))
      seen.push({ states, sent: await sent() })
      t.same(open.errors, [])
    }
    const [without, withJavaScript] = seen
    t.strictSame(withJavaScript, without)
    t.match(without, { states: intent === 'twice' ? { choice: ['a'], box: true } : { choice: ['c'], box: false } })
  })
}

const CONTROLLED = {
  text: 'typed',
  number: '2',
  area: 'typed',
  color: '#020202',
  box: true,
  ticked: true,
  b: true,
  choice: 'b',
  many: ['b', 'c'],
  message: 'typed',
  ownChoice: 'b',
  ownBox: true,
  ownText: 'typed',
} as const

/** Returns React's state in the form of `read`. */
async function readState(open: OpenPage) {
  const { kind, choice, ...others } = JSON.parse(await open.read('#state'))
  return { ...others, choice: [choice], a: kind === 'a', b: kind === 'b', c: kind === 'c' }
}

const RESETS = ['', '?clear', '?stop', '?keep'].flatMap((search) =>
  ['#send', '#reset'].map((button) => ({ search, button })),
)

for (const { search, button } of RESETS) {
  t.test(`controlled fields keep React's state, and onReset is called: ${search} ${button}`, async (t) => {
    const open = await openPage(t, `/controlled${search}`)
    await change(open, { ...CONTROLLED, many: ['b', 'c'], free: 'typed' })
    await open.focus('#text')
    await open.evaluate(() => (document.activeElement as HTMLInputElement).setSelectionRange(1, 2), null)
    await open.evaluate(() => {
      ;(document.getElementById('sum') as HTMLOutputElement).value = 'of a script'
    }, null)
    // React handles the mouse before the browser resets, and the click of a script after that.
    if (search === '?clear') await open.click(button)
    else await open.evaluate((button) => document.querySelector<HTMLElement>(button)?.click(), button)
    await open.hasText('#resets', '1')
    await open.hasText('#late', 'idle')
    await until(async () => (await open.valueOf('#free')) === (search === '?keep' ? 'typed' : 'start'))
    const outputs = () =>
      [...document.querySelectorAll('output')].map(({ value, form }) => [value, form?.getAttribute('method')])
    t.strictSame(await open.evaluate(outputs, null), [
      [search === '?keep' ? 'of a script' : 'start', 'post'],
      ['plain', 'post'],
    ])
    const state = await readState(open)
    t.match(await read(open), { ...state, message: 'typed', ownChoice: ['b'], ownBox: true, ownText: 'typed' })
    t.match(state, search === '?clear' ? { text: 'start', box: true } : { text: 'typed', box: false, ticked: true })
    if (search !== '?clear') {
      const caret = () => (document.activeElement as HTMLInputElement).selectionStart
      t.equal(await open.evaluate(caret, null), 1, 'the caret stays')
    }
    // React has noticed what is on the screen.
    await change(open, { text: 'again', ticked: true, choice: 'a' })
    t.match(await read(open), await readState(open))
    t.same(open.errors, [])
  })
}

t.test('fields that the visitor has not changed show new data, and the others keep their text', async (t) => {
  for (const button of ['#other', '#refresh', '#link']) {
    const open = await openPage(t, '/hooked')
    await open.shown('#made')
    const before = await read(open)
    const reload = async (values: Parameters<typeof change>[1]) => {
      await change(open, values)
      const count = await open.read('#count')
      if (button !== '#other') await app.inject('/other')
      await open.click(button)
      await until(async () => (await open.read('#count')) !== count)
    }
    // The range contains what it did before, but the visitor has touched it.
    await reload({ area: 'typed', b: true, grouped: 'b', range: '1' })
    const shown = { text: 'other', box: false, color: '#0a0b0c', made: '#0a0b0c', 'alone-a': false, 'alone-c': true }
    const chosen = { choice: ['c'], many: ['c'], late: ['c'], none: ['c'], sized: ['c'], twin: ['c'] }
    t.strictSame(
      await read(open),
      {
        ...before,
        ...shown,
        ...chosen,
        output: 'round 7 of many',
        // What the visitor has chosen.
        area: 'typed',
        grouped: ['b'],
        a: false,
        b: true,
      },
      button,
    )
    t.same(open.errors, [])
  }
})

t.test('a field that the visitor has reset shows new data', async (t) => {
  const open = await openPage(t, '/hooked')
  await change(open, { choice: 'b' })
  await open.evaluate(() => (document.getElementById('form') as HTMLFormElement).reset(), null)
  t.equal(await open.valueOf('#choice'), 'a')
  await open.click('#other')
  await until(async () => (await open.valueOf('#text')) === 'other')
  t.equal(await open.valueOf('#choice'), 'c')
})

t.test('a form of useSubmission shows what has been stored, and keeps a text without a new default', async (t) => {
  const open = await openPage(t, '/hooked')
  await change(open, { text: 'typed', choice: 'b', many: ['b'], b: true, comment: 'a comment' })
  await open.click('#send')
  await open.hasText('#round', '1')
  t.match(await read(open), { text: 'TYPED', choice: ['c'], many: ['c'], c: true, comment: 'a comment' })
  await change(open, { text: 'later' })
  await open.click('#send')
  await until(async () => (await sent()).round === '2')
  t.match(await sent(), { text: 'later', choice: 'c', many: 'c', kind: 'c', comment: 'a comment' })
})

t.test(
  'a field that the visitor changes while the form is being sent keeps its text, and the others show the new data',
  async (t) => {
    const open = await openPage(t, '/fields')
    await change(open, CHOSEN)
    await open.click('#slow')
    await change(open, { text: 'later', b: true, c: true })
    await until(async () => {
      await app.inject('/go')
      return (await open.read('#round')) === '1'
    })
    t.match(await read(open), { text: 'later', c: true, area: 'TYPED', choice: ['c'], many: ['a', 'c'], late: ['c'] })
  },
)

t.test('a search form shows the search of each address, and what the visitor has typed since', async (t) => {
  const open = await openPage(t, '/search')
  await change(open, { q: 'typed', a: true, sort: 'b' })
  await open.click('#send')
  await open.hasText('#late', 'q=typed&other=&kinds=a&sort=b')
  t.match(await read(open), { q: 'typed', a: true, sort: ['b'] })
  await open.click('#link')
  await open.hasText('#late', 'q=linked&sort=c&kinds=a')
  t.match(await read(open), { q: 'linked', a: true, sort: ['c'] })
  await change(open, { other: 'typed' })
  for (const [late, state] of [
    ['q=typed', { q: 'typed', a: true, sort: ['b'] }],
    [/^$/, { q: '', a: false, sort: ['a'] }],
  ] as const) {
    await open.page.goBack()
    await open.hasText('#late', late)
    t.match(await read(open), { ...state, other: 'typed' })
  }
})

t.test('a form that leads to another document keeps its fields, as without JavaScript', async (t) => {
  for (const intent of ['site', 'route', 'plain', 'file']) {
    const seen = []
    for (const javaScript of [false, true]) {
      const open = await openPage(t, '/fields', javaScript)
      await change(open, CHOSEN)
      const download = open.page.waitForEvent('download', { timeout: 0 }).catch(() => {})
      await open.click(`#${intent}`)
      if (intent === 'file') await download
      else {
        await until(() => open.count('#there').catch(whileLeaving))
        await open.page.goBack()
        // React writes the data into a textarea when it hydrates, and Hydrant then the text of the visitor.
        if (javaScript) await open.hydrated()
        await lateShown(open)
      }
      // The loads run again while the browser leaves the page. So some elements may show their data.
      const { late: _, keyed: __, output: ___, ...states } = await read(open)
      seen.push(states)
    }
    const [without, withJavaScript] = seen
    t.strictSame(withJavaScript, without, intent)
    t.match(without, { text: 'typed', choice: ['b'] }, intent)
  }
})
