/// <reference lib="dom" />

// Forms of pages with a schema: nothing that was typed is lost, with JavaScript and without.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'
import { textOf } from './in-place-site.ts'

const dir = await buildApp(t, 'schemas')
const { app } = await serve(t, dir, { bodyLimit: 20_000, forms: { maxFileBytes: 1_000 } })
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)

async function openSignup(t: Owner, javaScript: boolean): Promise<OpenPage> {
  const opened = await chromium.open({ javaScript }, t)
  await opened.goto(`${origin}/products`, 'load')
  await opened.goto(`${origin}/signup`, 'load')
  if (javaScript) await opened.hydrated()
  return opened
}

async function fill({ page, fill, click, focus }: OpenPage) {
  await fill('#name', 'A')
  await fill('#email', 'ada@example.org')
  await fill('#password', 'hunter2')
  await fill('#age', '36')
  await fill('#first', 'one')
  await focus('#size')
  await page.keyboard.type('L')
  await click('#news')
  await click('#events')
}

const focuses = (opened: OpenPage, id: string) =>
  until(() => opened.evaluate((id) => document.activeElement?.id === id, id))

/** Returns what the visitor finds in the form. */
const stateOf = ({ evaluate }: OpenPage) =>
  evaluate(() => {
    const of = (id: string) => document.getElementById(id) as HTMLInputElement
    return {
      name: of('name').value,
      email: of('email').value,
      age: of('age').value,
      size: of('size').value,
      news: of('news').checked,
      events: of('events').checked,
      focus: document.activeElement?.id,
      invalid: [...document.querySelectorAll('[aria-invalid=true]')].map(({ id }) => id),
      described: of('name').ariaDescribedByElements?.map(({ textContent }) => textContent),
    }
  }, null)

const TYPED = { email: 'ada@example.org', age: '36', size: 'L', news: true, events: false }

for (const javaScript of [true, false]) {
  const how = javaScript ? 'with JavaScript' : 'without JavaScript'

  t.test(`a form that was not accepted keeps what was typed, ${how}`, async (t) => {
    const opened = await openSignup(t, javaScript)
    await fill(opened)
    await opened.click('#send')
    await opened.hasText('#name-error', 'Too short')
    await focuses(opened, 'name')
    t.match(await stateOf(opened), {
      ...TYPED,
      name: 'A',
      focus: 'name',
      invalid: ['name', 'password'],
      described: ['Too short'],
    })
    t.equal(await opened.valueOf('#password'), javaScript ? 'hunter2' : '', 'a secret stays only in the browser')
    if (javaScript) t.match(await textOf(opened, '.hydrant-announcer'), 'The form was not sent.')
    await opened.fill('#name', 'Ada')
    await opened.fill('#password', 'long enough')
    await opened.click('#send')
    await opened.hasText('#done', 'Ada')
    t.match(await opened.read('#done'), '"topics":["news"]')
    const untyped = { name: '', email: 'initial@example.org', news: false, events: true, invalid: [] }
    await until(async () => (await opened.valueOf('#name')) === '')
    t.match(await stateOf(opened), untyped, 'the form is as it was at first')
    t.same(opened.errors, [])
  })

  t.test(`messages of the action, ${how}`, async (t) => {
    const opened = await openSignup(t, javaScript)
    await fill(opened)
    await opened.fill('#name', 'taken')
    await opened.fill('#password', 'long enough')
    await opened.click('#send')
    await opened.hasText('#name-error', 'Is taken')
    await focuses(opened, 'name')
    t.match(await stateOf(opened), { ...TYPED, name: 'taken', focus: 'name', invalid: ['name'] })
    if (javaScript) t.equal(await textOf(opened, '.hydrant-announcer'), 'The form was not sent. Try again')
  })

  t.test(`a file that is too large, ${how}`, async (t) => {
    const opened = await openSignup(t, javaScript)
    const { page } = opened
    await fill(opened)
    await page.setInputFiles('#file', { name: 'x.png', mimeType: 'image/png', buffer: Buffer.alloc(5_000) })
    await opened.click('#send')
    await opened.hasText('#whole', 'larger than 1000 bytes')
    t.match(await stateOf(opened), { ...TYPED, name: 'A', invalid: [] })
  })

  for (const enctype of ['multipart/form-data', 'application/x-www-form-urlencoded']) {
    t.test(`a text that is too large, ${enctype}, ${how}`, async (t) => {
      const opened = await openSignup(t, javaScript)
      const { evaluate } = opened
      await fill(opened)
      await opened.fill('#name', 'n'.repeat(25_000))
      await evaluate((type) => {
        const [form] = document.forms
        if (form) form.enctype = type
      }, enctype)
      await opened.click('#send')
      await opened.hasText('#whole', 'larger than 20000 bytes')
      await focuses(opened, 'name')
      t.match(await stateOf(opened), {
        ...TYPED,
        name: 'n'.repeat(javaScript ? 25_000 : 20_000),
        focus: 'name',
        invalid: ['name'],
        described: ['This text is too long. Only its beginning has been received.'],
      })
      if (javaScript) t.match(await textOf(opened, '.hydrant-announcer'), 'larger than 20000 bytes')
    })
  }

  t.test(`Back leaves the form without a question, ${how}`, async (t) => {
    const opened = await openSignup(t, javaScript)
    const { page } = opened
    await fill(opened)
    await opened.click('#send')
    await opened.hasText('#name-error', 'Too short')
    const response = await page.goBack()
    t.equal(response?.status() ?? 200, 200)
    t.equal(new URL(page.url()).pathname, javaScript ? '/products' : '/signup')
    t.equal(response?.request().method() ?? 'GET', 'GET', 'nothing is sent again')
  })
}

t.test('the error page after a form fills it in again, and loads the document in other cases', async (t) => {
  const opened = await openSignup(t, true)
  await fill(opened)
  await opened.fill('#name', 'fails')
  await opened.fill('#password', 'long enough')
  await opened.click('#send')
  await opened.shown('#retry')
  await opened.click('#retry')
  await opened.shown('#name')
  t.match(await stateOf(opened), { ...TYPED, name: 'fails' })
  t.equal(await opened.valueOf('#password'), '', 'a password is not kept')
  await opened.goto(`${origin}/products?page=0`, 'load')
  await opened.hydrated()
  await Promise.all([opened.page.waitForEvent('load'), opened.click('#retry')])
})

t.test('the browser checks the rules of the schema without a request', async (t) => {
  for (const javaScript of [true, false]) {
    const opened = await openSignup(t, javaScript)
    const { evaluate } = opened
    await fill(opened)
    await opened.fill('#email', 'no address')
    const invalid = await evaluate(() => [...document.querySelectorAll(':invalid')].map(({ id }) => id), null)
    t.strictSame(
      invalid.filter((id) => id),
      ['name', 'email', 'password'],
    )
  }
})

t.test('a page that is reached by a link has its fields, search and params', async (t) => {
  const opened = await openSignup(t, true)
  const { evaluate } = opened
  const go = (path: string) =>
    evaluate((href) => {
      const link = document.createElement('a')
      link.href = href
      document.querySelector('main')?.append(link)
      link.click()
    }, path)
  await go('/products?page=3&tags=a')
  await opened.hasText('#search', '3')
  t.equal(await opened.read('#search'), '[{"page":3,"tags":["a"]},3]')
  await go('/products/7')
  await opened.hasText('#id', '7')
  t.match(await opened.read('#id'), 'number 7')
  await go('/products/x')
  await opened.shown('#failed')
  t.equal(await opened.read('#failed'), '404|This page could not be found.')
  await go('/products?page=0')
  await opened.hasText('#failed', '400')
  await go('/signup')
  await opened.shown('#email')
  t.equal(await opened.evaluate(() => document.querySelector('#email')?.getAttribute('type'), null), 'email')
  t.same(opened.errors, [])
})
