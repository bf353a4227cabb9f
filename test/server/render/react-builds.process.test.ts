// React's server builds for Bun and for Node must write the same bytes. Two of them must not share a process.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { createHttpClient, mapConcurrently } from '../../http-client.ts'
import { startSite } from '../../site-server.ts'
import { buildFiles, type Files, HTML } from '../served.ts'

const page = (body: string, before = '') =>
  `import { lazy, Suspense, use, useActionState, useId } from 'react'\n${before}\nexport default function Page({ data, params, url }) {\n  return ${body}\n}\n`
const awaiting = 'function Later({ promise }) { return <b>{use(promise)}</b> }\n'
/** Settles after the shell was sent, in a fixed order. */
const later = (value: string, turns: number) =>
  `(async () => { for (let turn = 0; turn < ${turns}; turn++) await new Promise((resolve) => setTimeout(resolve, 5))\n  return ${value} })()`
const failing = (turns: number) => `${later('null', turns)}.then(() => { throw new Error('late') })`

const TEXT = `"quotes" 'and' <b>&amp;</b> é ü 漢字 😀 \\u2028 \\u0000 \\ud83d end`

const site: Files = {
  'pages/layout.tsx':
    "import './layout.css'\nexport default function Layout({ children, data }) {\n  return <html lang='en'><head><link rel='icon' href='/x.svg' /></head><body><header>{data.name}</header>{children}</body></html>\n}\n",
  'pages/layout.css': 'body { color: red }\n',
  'pages/layout.server.ts': "export const load = () => ({ name: 'site' })\n",
  'pages/index.tsx': page('<><title>Home</title><meta name="description" content="d" /><p>static</p></>'),
  'pages/data.tsx': page(
    '<ul>{data.rows.map((row) => <li key={row.id} title={row.name}>{row.name}{row.id}</li>)}</ul>',
  ),
  'pages/data.server.ts':
    "export const load = () => ({ rows: Array.from({ length: 100 }, (_, id) => ({ id, name: 'row ' + id, when: new Date(id) })) })\n",
  'pages/unicode.tsx': page('<p title={data.text}>{data.text}{"\\ud83d"}{data.half}</p>'),
  'pages/unicode.server.ts': `export const load = () => ({ text: "${TEXT.replaceAll('"', '\\"')}", half: '\\ud83d' })\n`,
  'pages/long.tsx': page(
    '<main>{data.sizes.map((size) => <p key={size} title={"é".repeat(size)}>{"漢😀é".repeat(size)}{"a".repeat(size)}</p>)}</main>',
  ),
  'pages/long.server.ts':
    'export const load = () => ({ sizes: [1023, 1024, 1365, 1366, 2047, 2048, 4095, 4096, 4097, 20_000] })\n',
  'pages/raw.tsx': page(
    '<><style>{"a { color: red }"}</style><div dangerouslySetInnerHTML={{ __html: "<i>raw</i>" + "x".repeat(5000) }} /><script async src="/x.js"></script><textarea defaultValue={"\\n<a>"} /><input defaultChecked type="checkbox" /><select defaultValue="b"><option>a</option><option>b</option></select></>',
  ),
  'pages/hooks.tsx': page(
    '<Ids />',
    "function Ids() { const id = useId(); const [state] = useActionState((s) => s, 'state'); return <p id={id}>{state}<Inner /></p> }\nfunction Inner() { return <i id={useId()} /> }\n",
  ),
  'pages/svg.tsx': page(
    '<svg viewBox="0 0 1 1" strokeWidth={2}><path d="M0 0" /><foreignObject><p>in</p></foreignObject></svg>',
  ),
  'pages/stream.tsx': page(
    '<><Suspense fallback={<i>one</i>}><Later promise={data.one} /></Suspense><Suspense fallback={<i>two</i>}><Later promise={data.two} /><Suspense fallback={<i>three</i>}><Later promise={data.three} /></Suspense></Suspense></>',
    awaiting,
  ),
  'pages/stream.server.ts': `export const load = () => ({ one: ${later("'first'", 20)}, two: ${later("'漢'.repeat(5000)", 22)}, three: ${later("'last'", 24)} })\n`,
  'pages/whole.tsx': page('<Suspense fallback={<i>one</i>}><Later promise={data.one} /></Suspense>', awaiting),
  'pages/whole.server.ts': `export const stream = false\nexport const load = () => ({ one: ${later("'first'", 1)} })\n`,
  'pages/lazy.tsx': page(
    '<Suspense fallback={<i>wait</i>}><Part /></Suspense>',
    "const Part = lazy(() => import('../parts/part'))\n",
  ),
  'parts/part.tsx': 'export default function Part() {\n  return <b>lazy</b>\n}\n',
  'pages/fails-load.tsx': page('<p>never</p>'),
  'pages/fails-load.server.ts': "export const load = () => {\n  throw new Error('load')\n}\n",
  'pages/fails-shell.tsx': page('<Broken />', "function Broken() { throw new Error('shell') }\n"),
  'pages/fails-inside.tsx': page(
    '<><p>before</p><Suspense fallback={<i>wait</i>}><Broken /></Suspense></>',
    "function Broken() { throw new Error('inside') }\n",
  ),
  'pages/fails-late.tsx': page(
    '<><p>before</p><Suspense fallback={<i>wait</i>}><Later promise={data.one} /></Suspense></>',
    awaiting,
  ),
  'pages/fails-late.server.ts': `export const load = () => ({ one: ${failing(4)} })\n`,
  'pages/forever.tsx': page(
    '<><p>before</p><Suspense fallback={<i>wait</i>}><Later promise={data.one} /></Suspense></>',
    awaiting,
  ),
  'pages/forever.server.ts': 'export const load = () => ({ one: new Promise(() => {}) })\n',
  'pages/refused.tsx': page('<p>never</p>'),
  'pages/refused.server.ts':
    "import { HttpError } from 'hydrant'\nexport const load = () => {\n  throw new HttpError(403, 'Members <only>')\n}\n",
}

const paths = Object.keys(site)
  .filter((file) => /^pages\/[\w-]+\.tsx$/.test(file) && !file.includes('layout'))
  .map((file) => `/${file.slice('pages/'.length, -'.tsx'.length).replace(/^index$/, '')}`)
  .concat('/nowhere')

/** Removes the parts that always differ between responses. */
function tidy(body: string): string {
  return body
    .replace(/nonce="[^"]*"/g, 'nonce=""')
    .replace(/\b([0-9A-HJKMNP-TV-Z]{8})-[0-9A-HJKMNP-TV-Z]{6}\b/g, '$1')
    .replace(/localhost:\d+|127\.0\.0\.1:\d+/g, 'host')
}

t.test('both builds of React write the same documents', async (t) => {
  const dir = await buildFiles(t.testdir({}), site)
  const { send } = createHttpClient(t)
  const [bun = new Map(), node = new Map()] = await Promise.all(
    ['bun', 'node'].map(async (build) => {
      const { port } = await startSite(t, {
        dir,
        env: { HYDRANT_REACT_SERVER: build, HYDRANT_TIMEOUTS_RENDER_MS: '4000' },
      })
      const answers = await mapConcurrently(paths, 2, async (path) => {
        const { status, headers, body } = await send({ port, path, headers: HTML })
        return [
          path,
          { status, type: headers['content-type'], cache: headers['cache-control'], body: tidy(body) },
        ] as const
      })
      return new Map(answers)
    }),
  )
  for (const path of paths) {
    const [one, other] = [bun.get(path), node.get(path)]
    t.ok(one && one.body.length > 100, path)
    t.strictSame(one, other, path)
    t.match(one?.body, /<\/html>$/)
  }
  t.match(bun.get('/stream')?.body, /<i>three<\/i>.*last/s, 'streamed in parts')
  t.match(bun.get('/long')?.body, '漢😀é'.repeat(20_000))
  t.equal(bun.get('/long')?.body.includes('\ufffd'), false, 'no character is cut')
})

t.test('a site with a partly static page leaves async hooks off, which cost every page time', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'pages/layout.tsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
    'pages/index.tsx': page(
      '<><h1>Shop</h1><Suspense fallback="…"><Later promise={visitorData} /></Suspense></>',
      awaiting,
    ).replace('{ data,', '{ visitorData,'),
    'pages/index.server.ts': 'export const cache = { maxAgeS: 60 }\nexport const loadVisitor = () => "Ann"\n',
  })
  const program = `import { executionAsyncId } from 'node:async_hooks'
    import { setTimeout as pause } from 'node:timers/promises'
    import { createServer } from 'hydrant'
    // With async hooks, the code after each await has an id of its own.
    async function areOn() {
      await null
      const before = executionAsyncId()
      await null
      return executionAsyncId() !== before
    }
    const app = await createServer({ dir: process.argv[1], logger: false, ledger: false })
    const bodies = []
    for (let count = 0; count < 2; count++) bodies.push((await app.inject({ url: '/', headers: ${JSON.stringify(HTML)} })).body)
    // The search for calls of the new loads uses them for a moment.
    for (let count = 0; (await areOn()) && count < 100; count++) await pause(100)
    console.log(JSON.stringify({ areOn: await areOn(), bodies }))
    await app.close()`
  const args = ['--input-type=module', '-e', program, dir]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const { areOn, bodies } = JSON.parse(stdout)
  t.equal(areOn, false)
  for (const body of bodies) t.match(body, /<h1>Shop<\/h1>.*Ann/s)
})
