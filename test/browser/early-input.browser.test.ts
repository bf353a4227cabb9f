/// <reference lib="dom" />

// Text that a visitor types before the page is hydrated, while an extension changes the page, or in fields of other scripts.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'

const dir = await buildApp(t, 'fields')
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)

/** Opens a page whose scripts wait until the returned function is called. */
async function openEarly(
  t: Owner,
  path: string,
  init?: () => void,
): Promise<{ open: OpenPage; hydrate: () => Promise<void> }> {
  const open = await chromium.open({}, t)
  if (init) await open.page.addInitScript(init)
  let release!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await open.page.route('**/*.js', async (route) => {
    await released
    await route.fallback()
  })
  await open.goto(origin + path, 'commit')
  await open.hasText('h1', /Early|Part/)
  return {
    open,
    async hydrate() {
      release()
      await until(() => open.evaluate(() => 'isReady' in globalThis, null))
    },
  }
}

const CHANGES: Record<string, () => void> = {
  nothing: () => {},
  'attributes of html, body and fields': () => {
    document.documentElement.setAttribute('data-extension', '1')
    document.body.setAttribute('data-gr-ext-installed', '')
    for (const field of document.querySelectorAll('input')) field.setAttribute('data-lp', '1')
  },
  'elements in html and body': () => {
    document.body.prepend(document.createElement('extension-top'))
    document.body.append(document.createElement('extension-end'))
    document.documentElement.append(document.createElement('extension-html'))
  },
  'an element at the beginning of the form': () => {
    document.querySelector('#form')?.prepend(document.createElement('grammarly-extension'))
  },
  'an element beside a field': () => document.querySelector('#text')?.after(document.createElement('lp-icon')),
  'an element around a field': () => {
    const field = document.querySelector('#area')
    const around = document.createElement('div')
    field?.replaceWith(around)
    if (field) around.append(field)
  },
}

function readFields() {
  const field = (id: string) => document.getElementById(id) as HTMLInputElement
  const values = ['text', 'area', 'choice', 'password'].map((id) => field(id).value)
  return [...values, field('box').checked, field('file').files?.[0]?.name]
}

for (const path of ['/early', '/early-streamed']) {
  for (const [name, change] of Object.entries(CHANGES)) {
    t.test(`${path} keeps what was typed before hydration, with ${name}`, async (t) => {
      const { open, hydrate } = await openEarly(t, path)
      await open.evaluate(change, null)
      await open.page.setInputFiles('#file', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
      await open.fill('#area', 'two')
      await open.click('#box')
      await open.page.selectOption('#choice', 'b')
      await open.fill('#password', 'secret')
      await open.fill('#text', 'one')
      await open.page.keyboard.press('ArrowLeft')
      await hydrate()
      await open.page.keyboard.type('X')
      await until(async () => (await open.valueOf('#text')) === 'onXe')
      t.strictSame(await open.evaluate(readFields, null), ['onXe', 'two', 'b', 'secret', true, 'a.txt'])
    })
  }
}

t.test('keeps what the browser has filled in after Back, also if React begins to hydrate anew', async (t) => {
  const { open, hydrate } = await openEarly(t, '/early-streamed?slow')
  await open.evaluate(() => {
    // A browser dispatches no event.
    const field = document.querySelector<HTMLTextAreaElement>('#area')
    if (field) field.value = 'one'
    Object.assign(window, { begun: 0 })
    const property = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'defaultValue')
    Object.defineProperty(HTMLTextAreaElement.prototype, 'defaultValue', {
      ...property,
      set(text) {
        if (this.id === 'area' && !('isReady' in globalThis))
          Object.assign(window, { begun: Reflect.get(window, 'begun') + 1 })
        property?.set?.call(this, text)
      },
    })
  }, null)
  const hydrated = hydrate()
  const begun = () => open.evaluate(() => Reflect.get(window, 'begun') as number, null)
  await until(async () => (await begun()) > 0)
  await open.evaluate(() => {
    const event = new Event('input', { bubbles: true })
    document.querySelector('#blank')?.dispatchEvent(event)
  }, null)
  await hydrated
  t.ok((await begun()) > 1, 'React has begun anew')
  t.equal(await open.valueOf('#area'), 'one')
  await open.evaluate(() => {
    const field = document.querySelector<HTMLTextAreaElement>('#area')
    if (field) field.value = field.defaultValue
  }, null)
  t.equal(await open.valueOf('#area'), 'default', 'a script of the site can set it')
})

t.test('a field that the page renders anew on purpose stays empty', async (t) => {
  const { open, hydrate } = await openEarly(t, '/early')
  await hydrate()
  await open.fill('#own', 'typed')
  await open.click('#more')
  await until(async () => (await open.valueOf('#own')) === '')
})

/** Counts the timers after which the client looks again whether fields have been hydrated. */
function countLooks() {
  const original = setTimeout
  const looks = { count: 0 }
  Object.assign(window, {
    looks,
    setTimeout(work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) {
      if (ms !== 200) return original(work, ms, ...given)
      looks.count++
      return original(() => {
        work(...given)
        looks.count--
      }, ms)
    },
  })
}

for (const when of ['before', 'after']) {
  t.test(`fields of another script that are filled in ${when} hydration are its own affair`, async (t) => {
    const { open, hydrate } = await openEarly(t, '/early', countLooks)
    if (when === 'after') await hydrate()
    await open.evaluate(() => {
      for (const name of ['input', 'textarea']) document.body.append(document.createElement(name))
    }, null)
    await open.fill('body > input', 'typed')
    await open.fill('body > textarea', 'typed')
    if (when === 'before') await hydrate()
    const looks = () => open.evaluate(() => (window as unknown as { looks: { count: number } }).looks.count, null)
    await until(async () => (await looks()) === 0)
    const shown = await open.evaluate(async () => {
      const input = document.querySelector('body > input')
      const text = document.querySelector<HTMLTextAreaElement>('body > textarea')
      if (text) text.value = ''
      input?.remove()
      const next = document.createElement('input')
      document.body.append(next)
      await new Promise((resolve) => setTimeout(resolve))
      return [text?.value, next.value]
    }, null)
    t.strictSame(shown, ['', ''])
  })
}
