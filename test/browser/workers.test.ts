/// <reference lib="dom" />

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSite } from '../scripts/create-site.ts'
import { runCli } from '../scripts/run-cli.ts'
import { buildForBrowser, serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'
import { startDevSite } from './dev/dev-site.ts'

const PAGE = `import { useEffect, useState } from 'react'
import { State } from '../parts/state'
// new Worker(new URL('./in-comment.ts', import.meta.url))
const text = "new Worker(new URL('./in-text.ts', import.meta.url))"
export default function Page() {
  const [sum, setSum] = useState('none')
  useEffect(() => {
    const worker = new Worker(new URL('../workers/sum.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<string>) => setSum(data)
    worker.postMessage([1, 2])
    return () => worker.terminate()
  }, [])
  return <><h1>{sum}</h1><p title={text}>page</p><State /></>
}
`
const files = {
  'pages/index.tsx': PAGE,
  'workers/sum.ts': `import { format } from './format'
import logo from './logo.svg'
onmessage = async ({ data }: MessageEvent<number[]>) => {
  const { status } = await fetch(logo)
  const inner = new Worker(new URL('./inner.ts', import.meta.url), { type: 'module' })
  inner.onmessage = (answer) => postMessage(format(data[0]! + data[1]!) + ' ' + status + ' ' + answer.data)
}
`,
  'workers/inner.ts': "postMessage('inner')\n",
  'workers/format.ts': "export const format = (sum: number) => 'sum ' + sum\n",
  'workers/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
}
const state = { 'parts/state.tsx': 'export const State = () => null\n' }

t.test('a build bundles workers, which run below any base with the default policy', async (t) => {
  const dir = await buildForBrowser(t.testdir({}), { ...files, ...state })
  const client = readdirSync(join(dir, '.hydrant', 'client')).filter((name) => name.endsWith('.js'))
  t.equal(client.filter((name) => /^sum-[A-Z2-7]{8}\.js$/.test(name)).length, 1)
  t.equal(client.filter((name) => /^inner-[A-Z2-7]{8}\.js$/.test(name)).length, 1)
  const open = await (await launchChromium(t)).open({}, t)
  for (const base of ['/', '/shop']) {
    const { app } = await serve(t, dir, { base })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const response = await open.goto(address + base, 'load')
    t.match(response.headers()['content-security-policy'], "'strict-dynamic'")
    await open.page.getByRole('heading', { name: 'sum 3 200 inner' }).waitFor()
    t.strictSame(open.errors, [])
  }
})

t.test('a worker that does not exist, or does not build, is an error with its place', async (t) => {
  const missing = createSite(t, { 'pages/index.tsx': PAGE, ...state })
  const { code, stderr } = await runCli(['build', missing])
  t.equal(code, 1)
  t.match(stderr, 'Error [HYD_BUILD_UNRESOLVED]')
  t.match(stderr, 'pages/index.tsx:8:39')
  const broken = createSite(t, { ...files, ...state, 'workers/format.ts': 'export const (\n' })
  const result = await runCli(['build', broken])
  t.match(result.stderr, 'workers/format.ts:1:')
})

t.test('in development, an edit of a worker starts it again, and the page keeps its state', async (t) => {
  const site = await startDevSite(t, files)
  const page = await site.open('/')
  await page.says('h1', 'sum 3 200 inner')
  const before = await page.use()
  site.edit('workers/format.ts', "'sum '", "'total '")
  await page.says('h1', 'total 3 200 inner')
  t.strictSame(await page.state(), before)
  site.edit('workers/inner.ts', "'inner'", "'within'")
  await page.says('h1', 'total 3 200 within')
  t.strictSame(page.messages, [])
})
