/// <reference lib="dom" />

// WebKit has no Navigation API yet: links and forms load documents. The documents here are stored ones, whose policy has
// hashes of their inline scripts.

import t from 'tap'
import { listen } from '../server/lines.ts'
import { buildForBrowser, serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchWebkit } from './webkit.ts'

/** What the policies of the documents would block, as WebKit reports it. */
const reports: string[] = []
Object.assign(globalThis, { hydrantPolicyReports: reports })

const dir = await buildForBrowser(t.testdir(), {
  'server.ts': `export default async (app) => {
  app.addContentTypeParser('application/csp-report', { parseAs: 'string' }, (request, text, done) => done(null, JSON.parse(text)))
  app.post('/reports', async ({ body }) => {
    globalThis.hydrantPolicyReports.push(body['csp-report']['effective-directive'] ?? body['csp-report']['violated-directive'])
    return ''
  })
  // A policy that reports itself: the page cannot observe what is blocked before its first script.
  app.addHook('onSend', async (request, reply) => {
    const policy = reply.getHeader('content-security-policy')
    if (policy) reply.header('content-security-policy-report-only', policy + '; report-uri /reports')
  })
}
`,
  'pages/index.tsx': `import { useState } from 'react'
import './index.css'
import { step } from '../step.ts'
export default function Page({ data }) {
  const [count, setCount] = useState(0)
  return <main><h1>Stored {data.run}</h1><button onClick={() => setCount(count + step)}>count: {count}</button><a href="/other">other</a></main>
}
`,
  'step.ts': 'export const step = 2\n',
  'pages/index.css': 'h1 { color: rgb(1, 2, 3) }\n',
  'pages/index.server.ts':
    "let run = 0\nexport const cache = { maxAgeS: 600 }\nexport const load = () => ({ run: ++run, text: '</script><script>\\u2028' })\n",
  'pages/other.tsx': `import { Suspense, use } from 'react'
export default function Page({ data }) {
  return <main><h1>Other {data.run}</h1><Suspense fallback="…"><Late late={data.late} /></Suspense><a href="/notes">notes</a></main>
}
function Late({ late }) {
  return <p>{use(late)}</p>
}
`,
  'pages/other.server.ts': `let run = 0
export const cache = { maxAgeS: 600 }
export const load = () => ({ run: ++run, late: new Promise((resolve) => setImmediate(resolve, 'late')) })
`,
  'pages/notes.tsx': `import { Suspense, use } from 'react'
export default function Page({ data, actionData }) {
  return <main>
    <h1>Notes</h1>
    <form method="post"><input name="text" defaultValue="written" /><button id="send">Send</button></form>
    <output>{actionData?.text}</output>
    <Suspense fallback="…"><Late late={data.late} /></Suspense>
    <button id="fail" onClick={() => {
      throw new Error('clicked')
    }}>fail</button>
  </main>
}
function Late({ late }) {
  return <p>{use(late)}</p>
}
`,
  'pages/notes.server.ts': `export const load = () => ({ late: new Promise((resolve) => setTimeout(resolve, 20, 'streamed')) })
export const action = ({ form }) => ({ text: 'sent ' + form.get('text') })
`,
})
const { app, log } = await serve(t, dir, { ledger: false })
const url = await listen(t, app)
const webkit = await launchWebkit(t)

t.test('a stored document is interactive in WebKit, and its policy blocks nothing of it', async (t) => {
  for (const visit of ['stored', 'from the store']) {
    await webkit.goto(url)
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
  t.match(line, { side: 'client', err: { message: 'clicked', stack: /\n {4}at onClick \(pages\/notes\.tsx:9:\d+\)/ } })
})

t.test('the policy of a stored document blocks other scripts in WebKit', async (t) => {
  await webkit.goto(url)
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
