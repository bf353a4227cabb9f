/// <reference lib="dom" />

// WebKit has no Navigation API yet: links and forms load documents. The documents here are stored ones, whose policy has
// hashes of their inline scripts.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'
import t from 'tap'
import hydrant from '../../src/server/index.ts'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { createLog } from '../server/served.ts'
import { until } from '../until.ts'
import { launchWebkit } from './webkit.ts'

/** What the policies of the documents would block, as WebKit reports it. */
const reports: string[] = []

const dir = await buildApp(t, 'stored')
const log = createLog()
const app = fastify({ logger: log.logger })
t.teardown(() => app.close())
app.addContentTypeParser('application/csp-report', { parseAs: 'string' }, async (_request: unknown, body: string) =>
  JSON.parse(body),
)
app.post<{ Body: { 'csp-report': Record<string, string> } }>('/reports', async ({ body }) => {
  const report = body['csp-report']
  reports.push(String(report['effective-directive'] ?? report['violated-directive']))
  return ''
})
// A policy that reports itself: the page cannot observe what is blocked before its first script.
app.addHook('onSend', async (_request, reply) => {
  const policy = reply.getHeader('content-security-policy')
  if (policy) reply.header('content-security-policy-report-only', `${policy}; report-uri /reports`)
})
await app.register(hydrant, { dir, ledger: false })
const url = await listen(t, app)
const webkit = await launchWebkit(t)

t.test('a stored document is interactive in WebKit, and its policy blocks nothing of it', async (t) => {
  for (const visit of ['stored', 'from the store']) {
    await webkit.goto(`${url}/stored`)
    await webkit.hydrated()
    await webkit.click('button')
    await webkit.shows('button', 'count: 2')
    await webkit.shows('h1', 'Stored 1')
    const { color, scripts, preloads } = await webkit.evaluate(() => {
      const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
      return {
        color: getComputedStyle(document.querySelector('h1') ?? document.body).color,
        scripts: loaded.filter((name) => name.endsWith('.js')).length,
        preloads: [...document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')].map(({ href }) =>
          loaded.includes(href),
        ),
      }
    }, null)
    t.equal(color, 'rgb(1, 2, 3)', visit)
    t.ok(scripts > 1)
    t.ok(preloads.length > 0 && preloads.every((isLoaded) => isLoaded), 'preloaded modules are loaded')
  }
  t.strictSame(reports, [])
})

t.test('links lead to stored documents in WebKit, and back', async (t) => {
  await webkit.click('a')
  await webkit.shows('h1', 'Other 1')
  await webkit.hydrated()
  await webkit.shows('p', 'late')
  await webkit.evaluate(() => history.back(), null)
  await webkit.shows('h1', 'Stored 1')
  await webkit.hydrated()
  t.strictSame(reports, [])
})

t.test('forms, streams and reports of failures work in WebKit', async (t) => {
  await webkit.goto(`${url}/notes`)
  await webkit.shows('p', 'streamed')
  await webkit.hydrated()
  await webkit.click('#send')
  await webkit.shows('output', 'sent written')
  await webkit.hydrated()
  t.strictSame(reports, [])
  await webkit.click('#fail')
  const line = await until(() => log.errors()[0])
  const source = readFileSync(join(dir, 'pages/notes.tsx'), 'utf8').split('\n')
  const place = `pages/notes.tsx:${source.findIndex((text) => text.includes('clicked')) + 1}`
  t.match(line, { side: 'client', err: { message: 'clicked', stack: `\n    at onClick (${place}:` } })
})

t.test('the policy of a stored document blocks other scripts in WebKit', async (t) => {
  await webkit.goto(`${url}/stored`)
  await webkit.hydrated()
  const hasRun = await webkit.evaluate(async () => {
    document.body.insertAdjacentHTML('beforeend', '<img id="attack" src="data:," onerror="self.ran = 1">')
    const image = document.querySelector('#attack')
    await new Promise((resolve) => image?.addEventListener('error', resolve))
    document.body.insertAdjacentHTML('beforeend', '<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>')
    await new Promise((resolve) => document.querySelector('iframe')?.addEventListener('load', resolve))
    document.body.insertAdjacentHTML('beforeend', '<a id="link" href="javascript:void(self.ran = 1)">link</a>')
    document.querySelector<HTMLElement>('#link')?.click()
    // A task that comes after that of the link.
    await new Promise((resolve) => setTimeout(resolve))
    return 'ran' in self
  }, null)
  t.equal(hasRun, false)
  await until(() => reports.length > 0)
  t.match(reports[0], /^script-src/)
})
