// Pages that export `hydrate = false`, in a browser that runs scripts.

import t from 'tap'
import { listen } from '../server/lines.ts'
import { buildForBrowser, serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'

const dir = await buildForBrowser(t.testdir(), {
  'pages/index.tsx': `import { useState } from 'react'
export default function Page() {
  const [count, setCount] = useState(0)
  return <main><h1>Hydrated</h1><button onClick={() => setCount(count + 1)}>count: {count}</button><a href="/plain">plain</a></main>
}
`,
  'pages/plain.tsx': `export const hydrate = false
export default function Page({ data, actionData }) {
  return <main><h1>{data}</h1><p id="sent">{actionData}</p><form method="post"><input name="name" defaultValue="Ada" /><button>Send</button></form><a href="/">back</a></main>
}
`,
  'pages/plain.server.ts':
    "export const load = () => 'Plain'\nexport const action = async ({ form }) => 'sent ' + form.get('name')\n",
})
const { app } = await serve(t, dir)
const url = await listen(t, app)

t.test('a link from a hydrated page loads the document, and its form and links work without scripts', async (t) => {
  const chromium = await launchChromium(t)
  const open = await chromium.open({}, t)
  const messages: string[] = []
  open.page.on('console', (message) => messages.push(message.text()))
  await open.goto(url, 'load')
  await open.hydrated()
  await open.click('button')
  t.equal(await open.read('button'), 'count: 1')
  await open.click('a')
  await open.page.waitForSelector('form')
  t.equal(await open.read('h1'), 'Plain')
  const scripts = await open.page.evaluate(() => [
    document.scripts.length,
    performance.getEntriesByType('resource').length,
    '__hydrant' in self,
  ])
  t.strictSame(scripts, [0, 0, false], 'a document of its own, which loads nothing')
  await open.click('button')
  await open.page.waitForSelector('#sent:not(:empty)')
  t.equal(await open.read('#sent'), 'sent Ada')
  await open.click('a')
  await open.page.waitForSelector('text=count: 0')
  t.equal(await open.read('h1'), 'Hydrated')
  t.strictSame(messages, [])
})
