/// <reference lib="dom" />

// A page in a frame with `sandbox` and without `allow-same-origin` has an origin of its own, and no storage.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { buildForBrowser, serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'

const dir = await buildForBrowser(t.testdir({}), {
  'parts/lazy.tsx': `import { useState } from 'react'
export default function Lazy() {
  const [count, setCount] = useState(0)
  return <button id="lazy" onClick={() => setCount(count + 1)}>lazy {count}</button>
}
`,
  'parts/face.ttf': readFileSync('/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'),
  'pages/inside.css': '@font-face { font-family: face; src: url(../parts/face.ttf) }\nh1 { font-family: face }\n',
  'pages/index.tsx': `export default () => <iframe sandbox="allow-scripts allow-forms" src="/inside" />\n`,
  'pages/inside.server.ts': 'export const action = () => "acted"\n',
  'pages/inside.tsx': `import './inside.css'
import { lazy, Suspense, useState } from 'react'
const Lazy = lazy(() => import('../parts/lazy.tsx'))
export default function Inside() {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>Inside</h1>
      <button id="count" onClick={() => setCount(count + 1)}>count {count}</button>
      <Suspense fallback="wait"><Lazy /></Suspense>
      <a href="/other">other</a>
    </main>
  )
}
`,
  'pages/other.tsx': `import { useState } from 'react'
export default function Other() {
  const [count, setCount] = useState(0)
  return <main><h1>Other</h1><button id="count" onClick={() => setCount(count + 1)}>count {count}</button></main>
}
`,
})

t.test('a page in a sandboxed frame is interactive, and so is the page after a link', async (t) => {
  const { app } = await serve(t, dir)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await (await launchChromium(t)).open({}, t)
  await open.goto(address, 'load')
  const frame = await until(() => open.page.frames()[1])
  t.equal(await frame.evaluate(() => origin), 'null')
  for (const id of ['count', 'lazy']) {
    await until(async () => {
      await frame.click(`#${id}`)
      return (await frame.textContent(`#${id}`)) !== `${id} 0`
    })
  }
  t.strictSame(await frame.evaluate(async () => (await document.fonts.load('20px face')).map(({ status }) => status)), [
    'loaded',
  ])
  await frame.click('a')
  await frame.waitForSelector('h1:text("Other")')
  await until(async () => {
    await frame.click('#count')
    return (await frame.textContent('#count')) !== 'count 0'
  })
  t.strictSame(open.errors, [])
})
