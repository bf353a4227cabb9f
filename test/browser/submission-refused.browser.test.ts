/// <reference lib="dom" />

// A form of `useSubmission`, or of a page, that was not accepted: the focus, and what screen readers say.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'
import { textOf } from './in-place-site.ts'

const dir = await buildApp(t, 'fields')
const globals = globalThis as unknown as { hydrantGate: Promise<void> | undefined }
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)

async function open(t: Owner, path: string): Promise<OpenPage> {
  const opened = await chromium.open({}, t)
  await opened.goto(origin + path, 'load')
  await opened.hydrated()
  return opened
}

/** Returns what assistive technology gets of the field, and what was announced. */
async function heardIn(opened: OpenPage) {
  const { protocol } = opened
  const { nodes } = await protocol.send('Accessibility.getFullAXTree')
  const field = nodes.find(({ role, name }) => role?.value === 'textbox' && name?.value === 'Text')
  const properties = new Map(field?.properties?.map(({ name, value }) => [name, value.value]))
  return {
    name: field?.name?.value,
    description: field?.description?.value,
    invalid: properties.get('invalid'),
    focused: properties.get('focused'),
    announced: await textOf(opened, '.hydrant-announcer'),
  }
}

for (const path of ['/hook', '/refused']) {
  t.test(`${path}: the field with the message gets the focus, by keyboard alone`, async (t) => {
    const opened = await open(t, path)
    const { page } = opened
    await opened.focus('#text')
    await page.keyboard.type('wrong')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await opened.hasText('#text-error', 'Not this text')
    await until(() => opened.evaluate(() => document.activeElement?.id === 'text', null))
    t.strictSame(await heardIn(opened), {
      name: 'Text',
      description: 'Not this text',
      invalid: 'true',
      focused: true,
      announced: 'The form was not sent.',
    })
    t.equal(await opened.valueOf('#text'), 'wrong')
  })
}

for (const id of ['plain', 'hook']) {
  t.test(`${id}: a form in a modal dialog is announced inside the dialog, and later outside of it`, async (t) => {
    const { page, protocol } = await open(t, '/dialogs')
    /** Waits until a live region that is not hidden from assistive technology has a text. */
    async function heard(): Promise<string | undefined> {
      const { nodes } = await protocol.send('Accessibility.getFullAXTree')
      const isAssertive = ({ name, value }: { name: string; value: { value?: unknown } }) =>
        name === 'live' && value.value === 'assertive'
      const region = nodes.find(({ ignored, properties }) => !ignored && properties?.some(isAssertive))
      return nodes.find(({ nodeId, ignored }) => !ignored && region?.childIds?.includes(nodeId))?.name?.value
    }
    await page.click(`text=Show ${id}`)
    await page.fill(`#${id} input`, 'wrong')
    await page.click(`#${id} form button`)
    await page.waitForSelector(`#${id} p:has-text("Not this text")`)
    await until(async () => (await heard()) === 'The form was not sent.')
    await page.keyboard.press('Escape')
    await page.evaluate(() => document.querySelector('main')?.append(document.createElement('a')))
    await page.evaluate(() => {
      const link = document.querySelector('a')
      if (link) link.href = '/refused'
      link?.click()
    })
    await page.waitForSelector('legend')
    await until(async () => (await heard()) === 'Refused')
    t.equal(await page.locator('.hydrant-announcer').count(), 1)
  })
}

t.test('a visitor who works elsewhere keeps the focus', async (t) => {
  const opened = await open(t, '/hook')
  let pass = () => {}
  globals.hydrantGate = new Promise((resolve) => {
    pass = resolve
  })
  await opened.fill('#text', 'wrong')
  await opened.click('#send')
  await opened.focus('#other')
  pass()
  await opened.hasText('.hydrant-announcer', /^The form was not sent\.$/)
  t.equal(await opened.evaluate(() => document.activeElement?.id, null), 'other')
  t.equal(await textOf(opened, '#text-error'), 'Not this text')
})
