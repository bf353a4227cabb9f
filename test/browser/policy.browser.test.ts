/// <reference lib="dom" />

// The policy of a document forbids nothing that Hydrant itself does, in any situation.

import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { serve } from '../server/served.ts'
import { startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { serveSmallSite } from './navigation-site.ts'

const small = await serveSmallSite(t)
const { chromium, gates } = small

/** Records what the policies of the page's documents have forbidden. */
async function watchPolicy(page: Page): Promise<string[]> {
  const violations: string[] = []
  const protocol = await page.context().newCDPSession(page)
  protocol.on('Audits.issueAdded', ({ issue }) => {
    const found = issue.details.contentSecurityPolicyIssueDetails
    if (found) violations.push(`${found.violatedDirective} ${found.blockedURL ?? 'inline'}`)
  })
  await protocol.send('Audits.enable')
  return violations
}

/** Serves the site `assets` with a policy of its `server.ts`. */
async function serveWith(t: Test, policy: string): Promise<string> {
  process.env.POLICY = policy
  t.teardown(() => {
    delete process.env.POLICY
  })
  const { app } = await serve(t, await buildApp(t, 'assets'))
  return await listen(t, app)
}

t.test('allows pages that fail, from the shell to the last part of a stream', async (t) => {
  const site = await startSite(t)
  const open = await chromium.open({}, t)
  const violations = await watchPolicy(open.page)
  const failing = ['f1', 'f2', 'f2b', 'f3-layout', 'f14-layout', 'f15-stream', 'own'].map((name) => `${name}/fail`)
  const forbidden: string[] = []
  for (const path of ['/', '/nowhere', ...failing.map((name) => `/failures/${name}`)]) {
    await open.goto(`http://127.0.0.1:${site.port}${path}`, 'load')
    await open.hydrated()
    forbidden.push(...violations.splice(0).map((violation) => `${path}: ${violation}`))
  }
  t.strictSame(forbidden, [])
})

t.test('allows navigations and failures in the browser', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  const violations = await watchPolicy(page)
  await visitor.start('/')
  await page.locator('nav a[href="/about"]').first().hover()
  await until(() => visitor.asked.includes('/about'))
  await visitor.click('/slow')
  await visitor.shown('.hydrant-progress')
  gates.gate('slow').open()
  await visitor.stands('Slow')
  await visitor.click('/styled')
  await visitor.stands('Styled')
  await visitor.click('/breaks')
  await visitor.stands('Breaks')
  await visitor.click('#break')
  await visitor.shown('[role=alert]')
  await page.getByRole('button', { name: 'Try again' }).click()
  await visitor.stands('Breaks')
  await visitor.start('/moving/one')
  await visitor.click('main a')
  await visitor.stands('Moved')
  t.strictSame(violations, [])

  await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="self.ran = 1">'))
  await until(() => violations.length > 0)
  t.match(violations, [/^script-src/], 'what somebody smuggles in is forbidden')
  t.notOk(await page.evaluate(() => 'ran' in self))
})

t.test('works with the policy of @fastify/helmet', async (t) => {
  const origin = await serveWith(t, 'helmet')
  const open = await chromium.open({}, t)
  const { page } = open
  const violations = await watchPolicy(page)
  await open.goto(`${origin}/policy`, 'load')
  await open.hydrated()
  await page.getByRole('button', { name: 'open' }).click()
  await open.shown('#part')
  await open.click('#to-other')
  await open.shown('#other')
  t.strictSame(violations, [], 'no script needs another source than the nonce')
  await open.goto(`${origin}/policy/fails`, 'load')
  await open.hydrated()
  t.strictSame(violations, [])
  const border = await page.evaluate(() => {
    const shown = document.querySelector('[role=alert]')
    return shown && getComputedStyle(shown).borderTopWidth
  })
  t.equal(border, '1px', 'the fallback has its style')
})

t.test('shows failures with a policy that requires trusted types', async (t) => {
  const origin = await serveWith(t, 'trusted types')
  const open = await chromium.open({}, t)
  const violations = await watchPolicy(open.page)
  for (const [selector, sentence] of [
    ['#to-fails', 'a server-side exception'],
    ['#send', 'a server-side exception'],
    ['#break', 'a client-side exception'],
  ] as const) {
    await open.goto(`${origin}/policy`, 'load')
    await open.hydrated()
    await open.click(selector)
    await open.hasText('[role=alert]', sentence)
    await open.shown('[role=alert] button')
  }
  t.strictSame(violations, [])
})
