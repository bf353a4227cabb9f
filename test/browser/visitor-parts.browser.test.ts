/// <reference lib="dom" />

// A stored shell and the parts of the visitor in one response, with a policy for both.

import t from 'tap'
import { listen } from '../server/lines.ts'
import { buildForBrowser, serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'
import { launchFirefox } from './firefox.ts'

const settle: Record<string, (value: unknown) => void> = {}
Object.assign(globalThis, { settle })

const dir = await buildForBrowser(t.testdir({}), {
  'pages/index.tsx': `import { Suspense, use, useId, useState } from 'react'
export default function Shop({ data, visitorData }) {
  return (
    <main>
      <header id={useId()}>header</header>
      <h1>{'Shoes ' + data.run}</h1>
      <Suspense fallback={<p id="fallback">Loading the cart</p>}>
        <Cart cart={visitorData} />
      </Suspense>
      <a href="/other">other</a>
    </main>
  )
}
function Cart({ cart }) {
  const { name, late } = use(cart)
  const [count, setCount] = useState(1)
  return (
    <section id={useId()}>
      <h2>{'cart of ' + name}</h2>
      <button type="button" onClick={() => setCount(count + 1)}>{name + ': ' + count}</button>
      <Suspense fallback={<i id="later">…</i>}><b>{late && use(late)}</b></Suspense>
    </section>
  )
}
`,
  'pages/index.server.ts': `let runs = 0
export const cache = { maxAgeS: 600 }
export const load = () => ({ run: ++runs })
export const loadVisitor = async ({ url, request }) => {
  const name = /name=(\\w+)/.exec(request.headers.cookie)?.[1] ?? 'nobody'
  if (name === 'nobody') return { name }
  return { name: await new Promise((resolve) => { settle[name] = resolve }), late: new Promise((resolve) => setTimeout(resolve, 20, 'late')) }
}
`,
  'pages/other.tsx': 'export default () => <h1>Other <a href="/">back</a></h1>\n',
})
const { app, log } = await serve(t, dir, { pageCache: { header: true } })
const url = await listen(t, app)

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
    await open.shown('a[href="/"]')
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
