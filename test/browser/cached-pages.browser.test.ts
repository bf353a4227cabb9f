/// <reference lib="dom" />

// Stored documents have no nonce: their policy has hashes of the inline scripts.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'
import { launchFirefox } from './firefox.ts'

const dir = await buildApp(t, 'stored')
const { app } = await serve(t, dir)
const url = `${await listen(t, app)}/stored`

/** Inserts an element whose script the policy forbids. Returns what has run, and which requests failed. */
async function attack(): Promise<{ ran: boolean; color: string; modules: number }> {
  document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="self.ran = 1">')
  const script = document.createElement('div')
  script.innerHTML = '<svg onload="self.ran = 1"></svg>'
  document.body.append(script)
  await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    ran: 'ran' in self,
    color: getComputedStyle(document.querySelector('h1') ?? document.body).color,
    modules: performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length,
  }
}

t.test('a stored document is interactive in Chromium, and forbids other scripts', async (t) => {
  const chromium = await launchChromium(t)
  for (const visit of ['stored', 'from the store']) {
    const open = await chromium.open({}, t)
    const messages: string[] = []
    open.page.on('console', (message) => messages.push(message.text()))
    await open.goto(url, 'load')
    await open.hydrated()
    await open.click('button')
    t.equal(await open.read('button'), 'count: 2', visit)
    t.equal(await open.read('h1'), 'Stored 1')
    t.strictSame(messages, [], 'no message of the policy')
    await open.click('a')
    await open.shown('a[href="/stored"]')
    t.equal(await open.read('h1'), 'Other 1')
    await open.click('a')
    await open.shown('button')
    const { ran, color } = await open.page.evaluate(attack)
    t.equal(ran, false)
    t.equal(color, 'rgb(1, 2, 3)')
    t.match(messages, [/violates the following Content Security Policy/])
  }
})

t.test('a stored document is interactive in Firefox, and forbids other scripts', async (t) => {
  const firefox = await launchFirefox(t)
  await firefox.goto(url)
  await firefox.hydrated()
  await firefox.click('button')
  await firefox.shows('button', 'count: 2')
  const { ran, color } = await firefox.evaluate(attack, undefined)
  t.equal(ran, false)
  t.equal(color, 'rgb(1, 2, 3)')
  await firefox.click('a')
  await firefox.shows('h1', 'Other 1')
})
