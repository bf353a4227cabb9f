/// <reference lib="dom" />

// `useUrl`, `useParams` and `useLayoutData` in the browser: what changes is rendered again, and nothing else is.

import t from 'tap'
import { createSite } from '../scripts/create-site.ts'
import { listen } from '../server/lines.ts'
import { serve } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'

const files = {
  'values.tsx': `
    import { useLayoutData, useParams, useUrl } from 'hydrant/react'
    import { memo, use } from 'react'
    const shown = (id, read) => memo(() => {
      const value = read()
      globalThis.shownRenders ??= {}
      globalThis.shownRenders[id] = (globalThis.shownRenders[id] ?? 0) + 1
      return <output id={id}>{value}</output>
    })
    export const Url = shown('url', () => useUrl().pathname + useUrl().search)
    export const Params = shown('params', () => JSON.stringify(useParams('/shop/[id]')))
    export const Root = shown('root', () => JSON.stringify(useLayoutData('/')))
    export const Shop = shown('shop', () => useLayoutData('/(shop)/shop').loads)
    export const Late = memo(({ later }) => <output id="late">{use(later)} {useLayoutData('/(shop)/shop').loads}</output>)
  `,
  'pages/layout.tsx': `
    import { Root, Url } from '../values.tsx'
    export default ({ children }) => <html lang="en"><body><Root /><Url />{children}</body></html>
  `,
  'pages/layout.server.ts': `export const load = () => 'root'`,
  'pages/error.tsx': `
    import { useUrl } from 'hydrant/react'
    export default () => <p id="error">{useUrl().pathname}</p>
  `,
  'pages/other.tsx': `export default () => <h1>other</h1>`,
  'pages/fails.tsx': `
    import { useParams } from 'hydrant/react'
    export default () => <p>{useParams('/shop/[id]').id}</p>
  `,
  'pages/(shop)/shop/layout.tsx': `
    import { Shop } from '../../../values.tsx'
    export default ({ children }) => <main><Shop />{children}</main>
  `,
  'pages/(shop)/shop/layout.server.ts': `
    let loads = 0
    export const load = () => ({ loads: ++loads })
  `,
  'pages/(shop)/shop/[id].tsx': `
    import { refresh, useSubmission } from 'hydrant/react'
    import { Suspense } from 'react'
    import { Late, Params } from '../../../values.tsx'
    export default ({ data }) => {
      const { form } = useSubmission()
      return <>
        <Params />
        <a id="query" href="?q=1">query</a> <a id="next" href="2">next</a> <a id="other" href="/other">other</a>
        <button id="refresh" type="button" onClick={() => refresh()}>refresh</button>
        <form {...form}><button id="hook">hook</button></form>
        <form method="post"><button id="plain">plain</button></form>
        <Suspense fallback="…"><Late later={data.later} /></Suspense>
      </>
    }
  `,
  'pages/(shop)/shop/[id].server.ts': `
    const wait = () => new Promise((resolve) => setTimeout(resolve, 50, 'late'))
    export const load = () => ({ later: wait() })
    export const action = () => {}
  `,
}

const dir = createSite(t, files, 'values')
await buildSharing({ dir })
const { app } = await serve(t, dir)
const origin = await listen(t, app)
const chromium = await launchChromium(t)

const rendersOf = ({ evaluate }: OpenPage) =>
  evaluate(() => ({ ...(globalThis as { shownRenders?: Record<string, number> }).shownRenders }), null)

async function openPage(owner: Owner, path: string) {
  const open = await chromium.open({}, owner)
  await open.goto(origin + path, 'load')
  await open.hydrated()
  return open
}

t.test('a change renders the components that read it', async (t) => {
  const open = await openPage(t, '/shop/1')
  const first = Number(await open.read('#shop'))
  await open.hasText('#late', `late ${first}`)
  t.equal(await open.read('#url'), '/shop/1')
  t.equal(await open.read('#params'), '{"id":"1"}')
  let before = await rendersOf(open)
  /** Returns the names of the components that have been rendered since the last call. */
  async function rendered() {
    const now = await rendersOf(open)
    const names = Object.keys(now).filter((name) => now[name] !== before[name])
    before = now
    return names.sort()
  }

  await open.click('#query')
  await open.hasText('#url', '/shop/1?q=1')
  t.strictSame(await rendered(), ['url'], 'another query: neither the parameters nor the data of the layouts')

  await open.click('#refresh')
  await open.hasText('#shop', String(first + 1))
  await open.hasText('#late', `late ${first + 1}`)
  t.strictSame(await rendered(), ['shop'], 'a refresh: the data, whose text in the root layout is the same')

  await open.click('#hook')
  await open.hasText('#shop', String(first + 2))
  t.strictSame(await rendered(), ['shop'], 'a submission of the hook')

  await open.click('#plain')
  await open.hasText('#shop', String(first + 3))
  t.strictSame(await rendered(), ['shop'], 'a form')

  await open.click('#next')
  await open.hasText('#params', '{"id":"2"}')
  t.strictSame(await rendered(), ['params', 'url'], 'another page: its layouts keep their data')

  await open.click('#other')
  await open.hasText('h1', 'other')
  t.equal(await open.read('#url'), '/other')
  t.strictSame(await rendered(), ['url'], 'a page outside of the layout')
  await open.page.goBack()
  await open.hasText('#params', '{"id":"2"}')
  t.strictSame(open.errors, [], 'no error of hydration')
})

t.test('a hook out of place shows the error page, which has the URL', async (t) => {
  const open = await openPage(t, '/fails')
  await open.hasText('#error', '/fails')
})
