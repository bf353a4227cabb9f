/// <reference lib="dom" />

// Documents that the build has rendered for another origin than the one at which the browser loads them.

import t from 'tap'
import { listen } from '../server/lines.ts'
import { buildForBrowser, serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'

const dir = await buildForBrowser(t.testdir(), {
  'pages/index.tsx': `import { useState } from 'react'
export default function Page({ data }) {
  const [count, setCount] = useState(0)
  return <main><h1>{data.href}</h1><p>{data.pid}</p><button onClick={() => setCount(count + 1)}>count: {count}</button><a href="/news/7">news</a></main>
}
`,
  'pages/index.server.ts':
    'export const prerender = true\nexport const load = ({ url }) => ({ href: url.href, pid: process.pid })\n',
  'pages/news/[id].tsx':
    'export default ({ data }) => <main><h1>News {data.id}</h1><p>{data.pid}</p><a href="/plain">plain</a></main>\n',
  'pages/news/[id].server.ts':
    "export const prerender = () => ['/news/7']\nexport const load = ({ params }) => ({ id: params.id, pid: process.pid })\n",
  'pages/plain.tsx':
    'export const prerender = true\nexport const hydrate = false\nexport default () => <h1>Plain</h1>\n',
})
const { app } = await serve(t, dir)
const url = await listen(t, app)

t.test('a prerendered document hydrates, forbids other scripts and navigates', async (t) => {
  const chromium = await launchChromium(t)
  const open = await chromium.open({}, t)
  const messages: string[] = []
  open.page.on('console', (message) => messages.push(message.text()))
  await open.goto(url, 'load')
  await open.hydrated()
  await open.click('button')
  t.equal(await open.read('button'), 'count: 1')
  t.equal(await open.read('h1'), `${url}/`)
  t.not(await open.read('p'), String(process.pid), 'the build has rendered it')
  t.strictSame(messages, [], 'no message of the policy, and none about hydration')
  await open.click('a')
  await open.shown('a[href="/plain"]')
  t.equal(await open.read('h1'), 'News 7')
  t.not(await open.read('p'), String(process.pid), 'the data comes from the build, too')
  await open.page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="self.ran = 1">')
  })
  await until(() => messages.some((text) => text.includes('violates the following Content Security Policy')))
  t.equal(await open.page.evaluate(() => 'ran' in self), false)
  await open.click('a')
  await open.page.waitForURL('**/plain')
  t.equal(await open.read('h1'), 'Plain')
  t.equal(await open.count('script'), 0)
})
