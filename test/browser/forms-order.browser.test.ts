/// <reference lib="dom" />

// Several submissions in flight: their responses take effect in the order in which they were sent.

import t from 'tap'
import { until } from '../until.ts'
import type { OpenPage } from './chromium.ts'
import { isInPlace, startInPlace, textOf } from './in-place-site.ts'

const { open, done, origin, openGate } = await startInPlace(t)

const pathOf = ({ page }: OpenPage) => page.url().slice(origin.length)

/** Sends the forms one after another, each when the previous one has arrived. */
async function send({ click }: OpenPage, ...buttons: string[]) {
  for (const button of buttons) {
    await click(`#${button}`)
    await until(async () => (await done()).length > 0)
  }
}

/** Resolves when the page shows the changes of all actions. */
async function settles(opened: OpenPage, finished: string) {
  await until(async () => (await textOf(opened, '#finished'))?.endsWith(finished))
  await opened.hasText('#state', 'idle')
}

t.test('the response to an older submission never replaces that to a newer one', async (t) => {
  for (const [first, second, older, newer] of [
    ['data-a', 'data-b', 'a', 'b'],
    ['redirect-a', 'data-b', 'a', 'b'],
    ['elsewhere-a', 'data-b', 'a', 'b'],
  ] as const) {
    const opened = await open(t, '/order')
    await send(opened, first, second)
    await openGate(newer)
    await opened.hasText('#data', `answer to ${newer}`)
    await openGate(older)
    await settles(opened, `${newer} ${older}`)
    t.equal(await textOf(opened, '#data'), `answer to ${newer}`, `${first}, ${second}`)
    t.equal(pathOf(opened), '/order')
    t.ok(await isInPlace(opened))
  }
})

t.test('a form and a component each keep their result, and the page shows the changes of both', async (t) => {
  for (const [first, second, older, newer] of [
    ['data-a', 'script', 'a', 'script'],
    ['script', 'data-a', 'script', 'a'],
  ] as const) {
    const opened = await open(t, '/order')
    await send(opened, first, second)
    await openGate(newer)
    await openGate(older)
    await settles(opened, `${newer} ${older}`)
    await opened.hasText('#data', 'answer to a')
    await opened.hasText('#own', 'answer to script')
    t.ok(await isInPlace(opened), `${first}, ${second}`)
  }
})

t.test('in the order in which they were sent, each is shown', async (t) => {
  const opened = await open(t, '/order')
  await send(opened, 'data-a', 'data-b')
  for (const name of ['a', 'b']) {
    await openGate(name)
    await opened.hasText('#data', `answer to ${name}`)
  }
  await settles(opened, 'a b')
  t.equal(await textOf(opened, '#data'), 'answer to b')
})

t.test('an older submission redirects no visitor who has sent a newer one', async (t) => {
  for (const first of ['redirect-a', 'elsewhere-a']) {
    const opened = await open(t, '/order')
    await send(opened, first, 'data-b')
    await openGate('a')
    await openGate('b')
    await opened.hasText('#data', 'answer to b')
    await settles(opened, 'a b')
    t.equal(pathOf(opened), '/order', first)
  }
})

t.test('an older one does not redirect while its target is being fetched either', async (t) => {
  const opened = await open(t, '/order')
  await send(opened, 'slow-a')
  const [target] = await Promise.all([
    opened.page.waitForRequest((request) => new URL(request.url()).pathname === '/order/slow'),
    openGate('a'),
  ])
  await send(opened, 'data-b')
  await openGate('slow')
  t.equal((await target.response())?.status(), 200)
  await openGate('b')
  await opened.hasText('#data', 'answer to b')
  await settles(opened, 'a b')
  t.equal(pathOf(opened), '/order')
})

t.test('a newer submission that redirects does so, and the older one changes nothing there', async (t) => {
  const opened = await open(t, '/order')
  await send(opened, 'data-a', 'redirect-b')
  await openGate('b')
  await opened.hasText('h1', 'Target ?b')
  await openGate('a')
  await opened.hasText('#state', 'idle')
  t.equal(pathOf(opened), '/target?b')
  await opened.page.goBack()
  await settles(opened, 'b a')
})

t.test('a navigation that is started later wins', async (t) => {
  for (const button of ['data-a', 'redirect-a', 'elsewhere-a', 'failure-a', 'script']) {
    const opened = await open(t, '/order')
    await send(opened, button)
    await opened.click('#away')
    await opened.hasText('h1', 'Target')
    await openGate(button === 'script' ? 'script' : 'a')
    await opened.hasText('#state', 'idle')
    t.equal(pathOf(opened), '/target', button)
    t.equal(await opened.count('[role=alert]'), 0)
  }
})

t.test('a redirect of a component is a navigation too', async (t) => {
  for (const button of ['data-a', 'redirect-a', 'failure-a']) {
    const opened = await open(t, '/order')
    await send(opened, button, 'script-away')
    await openGate('script')
    await opened.hasText('h1', 'Target ?script')
    await openGate('a')
    await opened.hasText('#state', 'idle')
    t.equal(pathOf(opened), '/target?script', button)
    t.equal(await textOf(opened, 'h1'), 'Target ?script')
    t.equal(await opened.count('[role=alert]'), 0)
  }
})

t.test('a navigation that was started before ends', async (t) => {
  const opened = await open(t, '/order')
  await opened.click('#to-slow')
  await opened.hasText('#state', 'loading')
  await send(opened, 'data-b')
  await openGate('b')
  await opened.hasText('#data', 'answer to b')
  await openGate('slow')
  await opened.hasText('#state', 'idle')
  t.equal(pathOf(opened), '/order')
  await send(opened, 'data-a')
  await openGate('a')
  await opened.hasText('#data', 'answer to a')
  t.equal(pathOf(opened), '/order')
  await opened.click('#away')
  await opened.hasText('h1', 'Target')
  t.strictSame(opened.errors, [])
})

const changesUrlEarly = ({ page }: OpenPage) =>
  page.addInitScript(() => {
    delete (window as { NavigationPrecommitController?: unknown }).NavigationPrecommitController
  })

for (const button of ['plain', 'own']) {
  for (const prepare of [undefined, changesUrlEarly]) {
    const when = prepare ? 'after the URL has changed' : 'before the URL has changed'
    t.test(`a form (${button}), sent while Back is pending, ${when}, is for the page on the screen`, async (t) => {
      const opened = await open(t, '/order', prepare)
      await opened.click('#to-slow')
      await openGate('slow')
      await opened.click('#to-stays')
      await opened.hasText('h1', 'Stays')
      await opened.evaluate(() => history.back(), null)
      await opened.hasText('#state', 'loading')
      t.equal(pathOf(opened), prepare ? '/order/slow' : '/order/stays')
      await opened.click(`#${button}`)
      await opened.hasText('#result', 'answer of /order/stays')
      t.strictSame(await done(), [{ path: '/order/stays' }])
      await openGate('slow')
      await opened.hasText('#state', 'idle')
      // A form of the page ends the navigation, as in any document. The result of a component leaves it alone.
      t.equal(pathOf(opened), button === 'plain' ? '/order/stays' : '/order/slow')
      t.equal(await textOf(opened, 'h1'), button === 'plain' ? 'Stays' : 'Slow')
      t.ok(await isInPlace(opened))
    })
  }
}

t.test('the message of an older submission appears before its form', async (t) => {
  for (const [button, text] of [
    ['refusal-a', '409 Refused a'],
    ['invalid-a', '422 Invalid a'],
    ['failure-a', 'Digest: '],
  ] as const) {
    const opened = await open(t, '/order')
    await send(opened, button, 'data-b')
    await openGate('b')
    await opened.hasText('#data', 'answer to b')
    await openGate('a')
    await settles(opened, 'b a')
    await opened.hasText('[role=alert]', text)
    t.equal(await opened.evaluate(() => document.querySelector('[role=alert]')?.nextElementSibling?.id, null), 'form-a')
    t.equal(await textOf(opened, '#data'), 'answer to b')
  }
})

t.test('so do the messages of a form that was not accepted, without new data too', async (t) => {
  const opened = await open(t, '/quiet')
  await opened.fill('#plain [name=text]', 'refused')
  await opened.click('#plain-send')
  await opened.fill('#plain [name=text]', 'accepted')
  await opened.click('#plain-send')
  await opened.hasText('#action-data', /action/)
  await openGate('refused')
  await opened.hasText('[role=alert]', '422 Refused')
  t.equal(await opened.evaluate(() => document.querySelector('[role=alert]')?.nextElementSibling?.id, null), 'plain')
  t.match(await textOf(opened, '#action-data'), /action/)
})

t.test('text that is typed and sent meanwhile stays in a form until its response', async (t) => {
  const opened = await open(t, '/order')
  await opened.fill('#form-a [name=text]', 'first')
  await send(opened, 'data-a')
  await opened.fill('#form-a [name=text]', 'second')
  await send(opened, 'data-a')
  await openGate('a-first')
  await opened.hasText('#data', 'answer to a-first')
  t.equal(await opened.valueOf('#form-a [name=text]'), 'second')
  await openGate('a-second')
  await until(async () => (await opened.valueOf('#form-a [name=text]')) === 'initial')
  t.pass('and is done with then')
})
