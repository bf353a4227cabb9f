/// <reference lib="dom" />

// A stored shell and the parts of the visitor in one response, with a policy for both.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'
import { launchFirefox } from './firefox.ts'

const settle: Record<string, (value: unknown) => void> = {}
Object.assign(globalThis, { settle })

const dir = await buildApp(t, 'stored')
const { app, log } = await serve(t, dir, { pageCache: { header: true } })
const url = `${await listen(t, app)}/shop`

/** Resolves when the load of a visitor waits. */
async function held(name: string): Promise<void> {
  while (!settle[name]) await new Promise(setImmediate)
}

t.test('the shell is shown at once, and the rest follows in the same response and is hydrated', async (t) => {
  const chromium = await launchChromium(t)
  for (const [name, result] of [
    ['Ann', 'miss'],
    ['Bob', 'hit'],
  ] as const) {
    const open = await chromium.open({}, t)
    const messages: string[] = []
    open.page.on('console', (message) => messages.push(message.text()))
    open.page.on('pageerror', (error) => messages.push(String(error)))
    await open.page.context().addCookies([{ name: 'name', value: name, url }])
    const response = await open.goto(url, 'commit')
    t.equal(response.headers()['hydrant-cache'], result)
    await open.shown('#fallback')
    t.equal(await open.read('h1'), 'Shoes 1')
    await held(name)
    settle[name]?.(name)
    await open.shown('b')
    await open.hydrated()
    // A part is hydrated after the document; a click before that is replayed.
    await open.click('button')
    await open.hasText('button', `${name}: 2`)
    t.equal(await open.read('h2'), `cart of ${name}`)
    t.equal(await open.read('b'), 'late')
    t.equal(await open.read('#fallback'), '')
    t.strictSame(messages, [], 'no error of the policy or of hydration')
    await open.click('a')
    await open.shown('a[href="/shop"]')
    settle[name] = () => t.fail('the earlier load')
    delete settle[name]
    await open.click('a')
    await held(name)
    settle[name]?.(`${name} again`)
    await open.hasText('h2', `cart of ${name} again`)
    t.equal(await open.read('h1'), 'Shoes 1')
    delete settle[name]
    const ran = await open.page.evaluate(async () => {
      document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="self.ran = 1">')
      await new Promise((resolve) => setTimeout(resolve, 50))
      return 'ran' in self
    })
    t.equal(ran, false, 'the policy forbids other scripts')
  }
  t.strictSame(log.errors(), [])
})

t.test('without JavaScript, the visitor gets the whole page', async (t) => {
  const chromium = await launchChromium(t)
  const open = await chromium.open({ javaScript: false }, t)
  await open.page.context().addCookies([{ name: 'name', value: 'Cid', url }])
  await open.goto(url, 'commit')
  await held('Cid')
  settle.Cid?.('Cid')
  await open.page.waitForLoadState('load')
  t.equal(await open.read('h1'), 'Shoes 1')
  t.equal(await open.read('h2'), 'cart of Cid')
  await open.shown('h2')
  t.equal(await open.read('b'), 'late')
  await t.rejects(open.shown('#fallback'), /no #fallback/)
})

t.test('Firefox hydrates it, too', async (t) => {
  const firefox = await launchFirefox(t)
  await firefox.goto(url)
  await firefox.hydrated()
  await firefox.shows('h2', 'cart of nobody')
  await firefox.click('button')
  await firefox.shows('button', 'nobody: 2')
})
