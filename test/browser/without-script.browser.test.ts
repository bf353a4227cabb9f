/// <reference lib="dom" />

// Streamed pages in a browser without JavaScript. A browser with JavaScript must not notice the additions for them.

import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { hydrant } from '../../src/server/plugin.ts'
import { buildApp } from '../build-app.ts'
import { HTML, serve } from '../server/served.ts'
import { launchChromium, type OpenPage } from './chromium.ts'

const FALLBACKS = ['loading text', 'loading element', 'loading nested', 'loading row', 'loading list']
const LATE = ['late text', 'late element', 'late nested', 'late row', 'late list', 'late inner list']
const DATA = '"<!--$?--><template id=\\"B:0\\"></template>x<!--/$-->"'

const dir = await buildApp(t, 'streams')
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
