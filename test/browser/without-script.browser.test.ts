/// <reference lib="dom" />

// Streamed pages in a browser without JavaScript. A browser with JavaScript must not notice the additions for them.

import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { hydrant } from '../../src/server/plugin.ts'
import { buildForBrowser, HTML, serve } from '../server/served.ts'
import { launchChromium, type OpenPage } from './chromium.ts'

const FALLBACKS = ['loading text', 'loading element', 'loading nested', 'loading row', 'loading list']
const LATE = ['late text', 'late element', 'late nested', 'late row', 'late list', 'late inner list']
const DATA = '"<!--$?--><template id=\\"B:0\\"></template>x<!--/$-->"'

const dir = await buildForBrowser(t.testdir({}), {
  // Both rules are common: the first one in Tailwind CSS, the second one in Bootstrap.
  'pages/hidden.css':
    '@layer base{[hidden]:where(:not([hidden=until-found])){display:none!important}}[hidden]{display:none!important}',
  'pages/layout.tsx': `import './hidden.css'
export default function Layout({ children }) {
  return <html lang="en"><head><meta name="color-scheme" content="light dark" /></head><body><header>header</header>{children}<footer>footer</footer></body></html>
}
`,
  'pages/parts.tsx': `import { Suspense, use } from 'react'
const Text = ({ of }) => use(of)
const Part = ({ of, children }) => <section>{use(of)}{children}</section>
const Row = ({ of }) => <tr><td>{use(of)}</td></tr>
const Circle = ({ of }) => <circle id="circle" cx="20" cy="20" r={use(of)} />
export default function Page({ data }) {
  return <main>
    <script type="application/json" id="data" dangerouslySetInnerHTML={{ __html: ${JSON.stringify(DATA)} }} />
    <p id="paragraph">before <Suspense fallback="loading text"><b><Text of={data.text} /></b></Suspense> after</p>
    <Suspense fallback={<p>loading <i>element</i></p>}>
      <Part of={data.element}><Suspense fallback={<><p>loading nested</p><p>more</p></>}><Part of={data.nested} /></Suspense></Part>
    </Suspense>
    <p id="between">between</p>
    <table><tbody><tr><td>first row</td></tr><Suspense fallback={<><tr><td>loading row</td></tr><tr><td>more</td></tr></>}><Row of={data.row} /></Suspense><tr><td>last row</td></tr></tbody></table>
    <svg width="60" height="60"><Suspense fallback={<rect id="rect" width="10" height="10" />}><Circle of={data.radius} /></Suspense></svg>
    <ul><Suspense fallback={<li>loading list</li>}><li><Text of={data.list} /><Suspense><b> <Text of={data.inner} /></b></Suspense></li></Suspense><li>last item</li></ul>
  </main>
}
`,
  'pages/parts.server.ts': `let turns = 0
const later = (value) => new Promise((resolve) => setTimeout(resolve, 20 + 10 * (turns++ % 7), value))
export const load = () => ({
  text: later('late text'), element: later('late element'), nested: later('late nested'), row: later('late row'),
  radius: later(15), list: later('late list'), inner: later('late inner list'),
})
`,
  'pages/fails.tsx': `import { Suspense, use } from 'react'
const Fails = ({ of }) => { throw new Error(use(of)) }
const Works = ({ of }) => <p>{use(of)}</p>
export default ({ data }) => <main><Suspense fallback={<p id="pending">what fails</p>}><Fails of={data.late} /></Suspense><Suspense fallback={<p id="gone">what works</p>}><Works of={data.late} /></Suspense></main>
`,
  'pages/fails.server.ts':
    "export const load = () => ({ late: new Promise((resolve) => setTimeout(resolve, 20, 'late')) })\n",
  'pages/whole.tsx': 'export default () => <main>whole</main>\n',
})
const chromium = await launchChromium(t)

async function listenAt(t: Test, app: FastifyInstance): Promise<string> {
  t.teardown(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

/** Returns all visible text. */
const read = ({ evaluate }: OpenPage) => evaluate(() => document.body.innerText.replace(/\s+/g, ' '), null)
const isVisible = ({ evaluate }: OpenPage, selector: string) =>
  evaluate((selector) => document.querySelector(selector)?.checkVisibility() ?? false, selector)

async function checkParts(t: Test, open: OpenPage, url: string) {
  await open.goto(`${url}/parts`, 'load')
  const text = await read(open)
  for (const late of LATE) t.match(text, late)
  for (const fallback of FALLBACKS) t.notMatch(text, fallback)
  t.match(
    text,
    /header before after between first row last row last item footer late/,
    'all else stands where it stood',
  )
  t.ok(await isVisible(open, '#circle'))
  t.notOk(await isVisible(open, '#rect'))
  t.equal(await open.evaluate(() => document.querySelector('#data')?.textContent, null), DATA, 'data is left as it is')
}

t.test('without JavaScript late content is read at the end, and its fallback is gone', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const url = await listenAt(t, app)
  for (const colorScheme of ['light', 'dark'] as const) {
    const open = await chromium.open({ javaScript: false, colorScheme }, t)
    await checkParts(t, open, url)
  }
})

t.test('a policy with a nonce for styles lets them be shown', async (t) => {
  const app = Fastify()
  const directives = { 'style-src': ["'self'"] }
  await app.register(helmet, { enableCSPNonces: true, contentSecurityPolicy: { directives } })
  await app.register(hydrant, { dir, ledger: false })
  const url = await listenAt(t, app)
  await checkParts(t, await chromium.open({ javaScript: false }, t), url)
})

t.test('failed content keeps its fallback, and the sentence is at the end', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const open = await chromium.open({ javaScript: false }, t)
  await open.goto(`${await listenAt(t, app)}/fails`, 'load')
  t.ok(await isVisible(open, '#pending'))
  t.notOk(await isVisible(open, '#gone'))
  t.match(await read(open), /what fails footer late Application error: .* Digest: /)
})

t.test('with JavaScript each part is in its place, and nothing of the additions is left', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const open = await chromium.open({}, t)
  await open.goto(`${await listenAt(t, app)}/parts`, 'load')
  await open.hydrated()
  await open.page.getByText('late inner list').waitFor()
  await open.page.locator('main template').first().waitFor({ state: 'detached' })
  t.match(
    await read(open),
    /header before late text after late element late nested between first row late row last row late list late inner list last item footer$/,
  )
  t.equal(await open.page.locator('main noscript, main object').count(), 0)
  t.notOk(await open.evaluate(() => [...document.querySelectorAll('*')].some(({ id }) => /^[SE]:/.test(id)), null))
  t.strictSame(open.errors, [])
})

t.test('a document that is sent whole has no additions, and text browsers get a whole document', async (t) => {
  const { get } = await serve(t, dir, { ledger: false })
  t.notMatch((await get('/whole')).body, 'noscript')
  t.match((await get('/parts')).body, '<noscript><style>')
  for (const agent of [
    'Lynx/2.9.2 libwww-FM/2.14',
    'w3m/0.5.3+git20230121',
    'Links (2.29; Linux x86_64)',
    'ELinks/0.16.1 (textmode)',
  ]) {
    const { body } = await get('/parts', { ...HTML, 'user-agent': agent })
    t.notMatch(body, 'noscript', agent)
    for (const fallback of FALLBACKS) t.notMatch(body, fallback, agent)
  }
})
