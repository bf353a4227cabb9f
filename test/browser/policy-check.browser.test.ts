/// <reference lib="dom" />

// The server's result for a policy equals Chromium's behavior with it.

import t from 'tap'
import { findBlockingDirective } from '../../src/server/http/policy-watch.ts'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'

/** `NONCE` is replaced by the document's nonce, `PORT` by the server's port. */
const POLICIES: readonly (readonly [policy: string, runs: boolean])[] = [
  ["script-src 'nonce-NONCE' 'strict-dynamic'", true],
  ["script-src 'nonce-NONCE'", true],
  ["default-src 'none'; script-src 'nonce-NONCE'", true],
  ["default-src 'nonce-NONCE'", true],
  ["script-src 'self' 'unsafe-inline' 'nonce-NONCE'", true],
  ["SCRIPT-SRC\t'Nonce-NONCE'", true],
  ["script-src 'none'; script-src 'nonce-NONCE'", false],
  ["script-src 'nonce-NONCE'; script-src 'none'", true],
  ["script-src-elem 'nonce-NONCE'; script-src 'none'", true],
  ["script-src-elem 'none'; script-src 'nonce-NONCE'", false],
  ["script-src-attr 'none'", true],
  ["script-src 'nonce-NONCE', default-src 'self'", false],
  ["script-src 'nonce-NONCE', base-uri 'none'", true],
  ["script-src 'nonce-NONCE'; require-trusted-types-for 'script'; trusted-types 'none'", true],
  ["default-src 'self'", false],
  ["default-src 'self'; script-src 'self'; script-src-attr 'none'", false],
  ["default-src 'self' 'unsafe-inline'", true],
  ["script-src 'self' 'unsafe-inline' 'nonce-other'", false],
  ["script-src 'self' 'unsafe-inline' 'sha256-osrMu4VMe9r6+GBzSQcbR+ReDrLemVQYV/14nO9qYwQ='", false],
  ["script-src 'self' 'unsafe-inline' 'strict-dynamic'", false],
  ["script-src 'self' 'unsafe-eval'", false],
  ["script-src 'unsafe-inline'", false],
  ["script-src 'unsafe-inline' *", true],
  ["script-src 'UNSAFE-inline' 'SELF'", true],
  ["script-src 'unsafe-inline' http:", true],
  ["script-src 'unsafe-inline' ws:", false],
  ["script-src 'unsafe-inline' 127.0.0.1:PORT", true],
  ["script-src 'unsafe-inline' 127.0.0.1:*", true],
  ["script-src 'unsafe-inline' 127.0.0.1", false],
  ["script-src 'unsafe-inline' *.0.0.1:*", true],
  ["script-src 'unsafe-inline' http://127.0.0.1:*/_hydrant/", true],
  ["script-src 'unsafe-inline' http://127.0.0.1:*/elsewhere/", false],
  ["script-src 'unsafe-inline' http://127.0.0.1:*/_hydrant", false],
  ["script-src 'unsafe-inline' https://cdn.example", false],
  ['script-src', false],
  ['sandbox', false],
  ['sandbox allow-scripts', true],
  ['sandbox allow-same-origin', false],
  ['sandbox allow-scripts allow-same-origin', true],
  ["img-src 'none'; base-uri 'none';;", true],
]

const dir = await buildApp(t, 'assets')

t.test('a policy is reported to block scripts exactly if it does', async (t) => {
  process.env.POLICY = 'query'
  t.teardown(() => {
    delete process.env.POLICY
  })
  const { app } = await serve(t, dir, { ledger: false })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = new URL(origin)
  const { page, evaluate } = await (await launchChromium(t)).open({}, t)
  const { body } = await app.inject({ url: '/policy/checked', headers: { accept: 'text/html' } })
  const script = new URL(/<script type="module" src="([^"]+)"/.exec(body)?.[1] ?? '', origin)
  const wrong: string[] = []
  for (const [template, runs] of POLICIES) {
    const policy = template.replaceAll('PORT', port)
    const directive = findBlockingDirective([policy.replaceAll('NONCE', 'abc')], { nonce: 'abc', script })
    if ((directive === null) !== runs) wrong.push(`${policy}: ${directive} is reported`)
    await page.goto(`${origin}/policy/checked?policy=${encodeURIComponent(policy)}`, { waitUntil: 'load' })
    // At the load event modules have run, and a frame later their effects. A sandbox reports no frames.
    if (!policy.startsWith('sandbox'))
      await evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))), null)
    if (runs) await page.getByText('hydrated').waitFor()
    const text = await evaluate(() => document.querySelector('p')?.textContent, null)
    if (text !== (runs ? 'hydrated' : 'rendered')) wrong.push(`${policy}: the page is ${text}`)
  }
  t.strictSame(wrong, [])
})
