/// <reference lib="dom" />

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSite } from '../scripts/create-site.ts'
import { runHere } from '../scripts/run-here.ts'
import { serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'
import { startDevSite } from './dev/dev-site.ts'

const PAGE = `import { useEffect, useState } from 'react'
import { State } from '../parts/state'
import { ask } from 'asker'
import { title } from '../parts/private'
// new Worker(new URL('./in-comment.ts', import.meta.url))
const text = "new Worker(new URL('./in-text.ts', import.meta.url))"
export default function Page() {
  const [sum, setSum] = useState('none')
  const [files, setFiles] = useState('')
  useEffect(() => {
    const worker = new Worker(new URL('../workers/sum.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<string>) => setSum(data)
    worker.postMessage([1, 2])
    readFiles().then(setFiles)
    return () => worker.terminate()
  }, [])
  return <><h1>{sum}</h1><p title={text}>{title}</p><p id="files">{files}</p><State /></>
}
async function readFiles() {
  const read = async (url: URL) => (await fetch(url)).text()
  if (location.hash === '#lost') await read(new URL('../data/none.txt', import.meta.url))
  if (location.hash === '#other') await read(new URL(/* @vite-ignore */ '../data/other.txt', import.meta.url))
  const notes = new URL('../data/notes.txt?v=1#end', import.meta.url)
  const script = await import(new URL('../data/words.ts', import.meta.url).href)
  const copied = await read(new URL('asker/plain.mjs', import.meta.url))
  return [await read(notes), notes.search + notes.hash, script.word, copied, await ask()].join(' ')
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
  'data/notes.txt': 'notes',
  'data/words.ts': "export const word: string = 'word'\n",
  'data/private.txt': 'private',
  // Its function is not a part of the bundle.
  'parts/private.ts': `export const title = 'page'
export const read = () => new URL('../data/private.txt', import.meta.url)
`,
  'node_modules/asker/package.json': JSON.stringify({
    name: 'asker',
    version: '1.0.0',
    type: 'module',
    main: 'index.js',
  }),
  'node_modules/asker/index.js': `export async function ask() {
  const module = await (await fetch(new URL('module.wasm', import.meta.url))).text()
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  return module + ' ' + await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data) })
}
export const forNode = () => new Worker(new URL('./node-only.js', import.meta.url))
`,
  'node_modules/asker/worker.js': `import { name } from './name.js'
const file = await (await fetch(new URL('module.wasm', import.meta.url))).text()
postMessage(name + ' ' + file)
`,
  'node_modules/asker/name.js': "export const name = 'worker'\n",
  'node_modules/asker/module.wasm': 'module',
  'node_modules/asker/plain.mjs': 'plain',
  'node_modules/asker/types.d.ts': '',
}
const FOUND = 'notes ?v=1#end word plain module worker module'
const state = { 'parts/state.tsx': 'export const State = () => null\n' }

t.test('a build bundles workers, which run below any base with the default policy', async (t) => {
  const dir = createSite(t, { ...files, ...state })
  const { code, stderr } = await runHere(['build', dir])
  t.equal(code, 0, stderr)
  t.notMatch(stderr, 'asker')
  t.notMatch(stderr, 'other.txt')
  t.match(stderr, 'Warning [HYD_BUILD_UNRESOLVED] cannot find "../data/none.txt"')
  t.match(stderr, 'pages/index.tsx:21:')
  const all = readdirSync(join(dir, '.hydrant', 'client'))
  t.strictSame(
    all.filter((name) => name.startsWith('private')),
    [],
  )
  const client = all.filter((name) => name.endsWith('.js'))
  t.strictSame(
    client.filter((name) => !/^[A-Z2-7]{8}\.js$/.test(name)),
    [],
    'filter lists find no names of sources',
  )
  const open = await (await launchChromium(t)).open({}, t)
  for (const base of ['/', '/shop']) {
    const { app } = await serve(t, dir, { base })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const response = await open.goto(address + base, 'load')
    t.match(response.headers()['content-security-policy'], "'strict-dynamic'")
    await open.page.getByRole('heading', { name: 'sum 3 200 inner' }).waitFor()
    await open.page.getByText(FOUND).waitFor()
    t.strictSame(open.errors, [])
  }
})

t.test('a worker that does not exist, or does not build, is an error with its place', async (t) => {
  const missing = createSite(t, { 'pages/index.tsx': PAGE, ...state })
  const { code, stderr } = await runHere(['build', missing])
  t.equal(code, 1)
  t.match(stderr, 'Error [HYD_BUILD_UNRESOLVED]')
  t.match(stderr, 'pages/index.tsx:11:39')
  const broken = createSite(t, { ...files, ...state, 'workers/format.ts': 'export const (\n' })
  const result = await runHere(['build', broken])
  t.match(result.stderr, 'workers/format.ts:1:')
  const page = 'export default () => <p onClick={() => new Worker(new URL("../secret.server.ts", import.meta.url))} />'
  const secret = createSite(t, { 'pages/index.tsx': page, 'secret.server.ts': 'export {}\n' })
  t.match((await runHere(['build', secret])).stderr, 'Error [HYD_BUILD_SERVER_IN_BROWSER]')
})

t.test('in development, an edit of a worker starts it again, and the page keeps its state', async (t) => {
  const site = await startDevSite(t, files)
  const page = await site.open('/')
  await page.says('h1', 'sum 3 200 inner')
  await page.says('#files', FOUND)
  const before = await page.use()
  site.edit('workers/format.ts', "'sum '", "'total '")
  await page.says('h1', 'total 3 200 inner')
  t.strictSame(await page.state(), before)
  site.edit('workers/inner.ts', "'inner'", "'within'")
  await page.says('h1', 'total 3 200 within')
  site.edit('data/notes.txt', 'notes', 'news')
  await page.says('#files', FOUND.replace('notes', 'news'))
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})
