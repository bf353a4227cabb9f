/// <reference lib="dom" />

// Which pages are prefetched, how many at a time, and how long they may be used.

import t from 'tap'
import { GATES, load, waitAt } from '../server/lines.ts'
import { buildForBrowser } from '../server/served.ts'
import { serveSmallSite, type Visitor } from './navigation-site.ts'

const page = (title: string, body = '') =>
  `export default function Page({ params }) {\n  void params\n  return <><h1>${title}</h1>${body}</>\n}\n`
const links = (numbers: readonly number[]) =>
  numbers.map((number) => `<p><a href="/n/${number}">n${number}</a></p>`).join('')
const counted = (name: string) => `  ctx.app.count('${name}')\n  return globalThis.hydrantGated.counts['${name}']`

const FILES = {
  'pages/layout.tsx': `import { prefetch } from 'hydrant/react'
Object.assign(globalThis, { prefetch })
export default function Layout({ children }) {
  return <html lang="en"><head><title>x</title></head><body><nav><a href="/">home</a><a href="/a">a</a><a href="/a/b">b</a><a href="/target">target</a><a href="/fails">fails</a><a href="/sign-in">sign in</a></nav>{children}</body></html>
}
`,
  'pages/index.tsx': page('Home', links([0, 1, 2, 3, 4, 5])),
  'pages/visible.tsx': page(
    'Visible',
    `<div data-hydrant-prefetch="visible">${links([0, 1])}<a href="/n/6" data-hydrant-prefetch="hover">6</a><p data-hydrant-prefetch="off"><a href="/n/7">7</a></p><div style={{ height: 3000 }} /><a id="below" href="/n/8">8</a></div>`,
  ),
  'pages/early.tsx': `import { prefetch, refresh } from 'hydrant/react'
import { useInsertionEffect, useLayoutEffect, useState } from 'react'
export default function Page({ data }) {
  const [problem, setProblem] = useState('none')
  useInsertionEffect(() => void prefetch('/n/1'), [])
  useLayoutEffect(() => {
    void prefetch('/n/0')
    refresh().catch((error) => setProblem(error.message))
  }, [])
  return <><h1>Early</h1><p id="loads">{data}</p><p id="problem">{problem}</p></>
}
`,
  'pages/early.server.ts': load(counted('early')),
  'pages/many.tsx': page('Many', `<div data-hydrant-prefetch="visible">${links([0, 1, 2, 3, 4, 5, 6])}</div>`),
  'pages/later.tsx': `import { Suspense, use } from 'react'
function Later({ promise }) {
  use(promise)
  return <a href="/n/0" data-hydrant-prefetch="visible">n0</a>
}
export default function Page({ data }) {
  return <Suspense fallback="wait"><Later promise={data.later} /></Suspense>
}
`,
  'pages/later.server.ts': load("  return { later: ctx.app.gate('later').opened }"),
  'pages/n/[id].tsx': page('Number {params.id}'),
  'pages/n/[id].server.ts': load(waitAt("n' + ctx.params.id + '", '1')),
  'pages/target.tsx': page('Target', '<form method="post"><button>Act</button></form>'),
  'pages/target.server.ts': `${load('  return 1')}export const action = () => ({ acted: true })\n`,
  'pages/a/layout.tsx':
    'export default function Layout({ children, data }) {\n  return <section><i id="of-a">{data}</i>{children}</section>\n}\n',
  'pages/a/layout.server.ts': load(counted('a')),
  'pages/a/index.tsx': page('A'),
  'pages/a/b.tsx': page('B'),
  'pages/fails.tsx': page('Works'),
  'pages/fails.server.ts': load(
    "  ctx.app.count('fails')\n  if (globalThis.hydrantGated.counts.fails === 1) throw new Error('only once')\n  return 1",
  ),
  'pages/sign-in.tsx': page('Signed in'),
  'pages/sign-in.server.ts': load(
    "  ctx.app.count('sign-in')\n  if (globalThis.hydrantGated.counts['sign-in'] === 1) redirect('/a')\n  return 1",
  ),
  'server.ts': `export default async function server(app) {\n  ${GATES}\n}\n`,
}

const dir = await buildForBrowser(t.testdir({}), FILES)

/** Calls `prefetch` of `hydrant/react`. Resolves when it does. */
const prefetch = (visitor: Visitor, url: string) =>
  visitor.evaluate(
    (url) => (globalThis as unknown as { prefetch(url: string): Promise<void> }).prefetch(url).then(() => true),
    url,
  )
const touch = (visitor: Visitor, path: string) =>
  visitor.page.locator(`a[href="${path}"]`).first().dispatchEvent('touchstart')

t.test('three responses may be pending: a newer link ends the oldest request', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.start('/')
  for (const number of [0, 1, 2]) {
    await touch(visitor, `/n/${number}`)
    await gates.gate(`n${number}`).reached
  }
  await touch(visitor, '/n/3')
  t.match(await gates.gate('n0').left, { name: 'AbortError' })
  await gates.gate('n3').reached
  await visitor.page.locator('a[href="/n/1"]').click()
  t.match(await gates.gate('n2').left, { name: 'AbortError' }, 'the visitor waits for one page only')
  gates.gate('n1').open()
  await visitor.stands('Number 1')
  t.strictSame(visitor.asked, ['/n/0', '/n/1', '/n/2', '/n/3'], 'which has been requested already')
})

t.test('five pages are kept, and the least recently used one makes room', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.start('/')
  for (const number of [0, 1, 2, 3, 4]) {
    gates.gate(`n${number}`).open()
    await prefetch(visitor, `/n/${number}`)
  }
  await touch(visitor, '/n/0')
  gates.gate('n5').open()
  await prefetch(visitor, '/n/5')
  visitor.asked.length = 0
  for (const number of [0, 5, 1]) {
    await visitor.page.evaluate((path) => navigation.navigate(path).finished, `/n/${number}`)
    await visitor.stands(`Number ${number}`)
  }
  t.strictSame(visitor.asked, ['/n/1'])
})

t.test('prefetch() waits for its turn, and for the page', async (t) => {
  const { visit, gates, origin } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.start('/')
  const done: number[] = []
  const all = [0, 1, 2, 3].map((number) => prefetch(visitor, `/n/${number}`).then(() => done.push(number)))
  for (const number of [0, 1, 2]) await gates.gate(`n${number}`).reached
  await touch(visitor, '/n/4')
  t.strictSame(visitor.asked, ['/n/0', '/n/1', '/n/2'], 'a link does not end what a script asked for')
  t.strictSame(done, [])
  gates.gate('n0').open()
  await gates.gate('n3').reached
  await all[0]
  t.strictSame(done, [0])
  for (const number of [1, 2, 3]) gates.gate(`n${number}`).open()
  await Promise.all(all)
  visitor.asked.length = 0
  for (const url of ['https://example.com/', 'http://[', '/robots.txt', '/', `${origin}/#top`])
    t.equal(await prefetch(visitor, url), true, `${url} is ignored`)
  t.strictSame(visitor.asked, [])
  t.strictSame(visitor.errors, [])
})

t.test('effects of the first render prefetch and refresh, whichever kind they are', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.start('/early')
  for (const name of ['n0', 'n1']) {
    await gates.gate(name).reached
    gates.gate(name).open()
  }
  await visitor.page.locator('#loads', { hasText: '2' }).waitFor()
  t.equal(await visitor.page.textContent('#problem'), 'none')
  t.strictSame(visitor.errors, [])
})

t.test('links are prefetched when they become visible', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, {
    init: () => {
      const priorities: unknown[] = []
      const original = fetch
      Object.assign(window, {
        priorities,
        fetch(...given: Parameters<typeof fetch>) {
          priorities.push(given[1]?.priority)
          return original(...given)
        },
      })
    },
  })
  const { page } = visitor
  await visitor.start('/visible')
  for (const name of ['n0', 'n1']) {
    await gates.gate(name).reached
    gates.gate(name).open()
  }
  await page.locator('#below').scrollIntoViewIfNeeded()
  await gates.gate('n8').reached
  gates.gate('n8').open()
  await visitor.evaluate(() => {
    const link = document.createElement('a')
    link.href = '/n/9'
    link.dataset.hydrantPrefetch = 'visible'
    link.textContent = 'added'
    document.querySelector('#below')?.after(link)
  }, null)
  await gates.gate('n9').reached
  t.notOk(
    visitor.asked.some((path) => /[67]$/.test(path)),
    'the nearest attribute decides',
  )
  const priorities = await page.evaluate(() => (window as unknown as { priorities: unknown[] }).priorities)
  t.strictSame([...new Set(priorities)], ['low'])
  t.strictSame(visitor.errors, [])
})

t.test('a visible link counts that arrives after the page is interactive', async (t) => {
  const { visit, gates, origin } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.goto(`${origin}/later`, 'commit')
  await visitor.hydrated()
  gates.gate('later').open()
  await gates.gate('n0').reached
  t.pass('its page is requested')
})

t.test('visible links share the budget', async (t) => {
  const { visit, gates, origin } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.goto(`${origin}/many`, 'load')
  for (const number of [0, 1, 2, 3, 4, 5, 6]) {
    if (number < 5) await gates.gate(`n${number}`).reached
    gates.gate(`n${number}`).open()
  }
  gates.gate('n9').open()
  await prefetch(visitor, '/n/9')
  t.strictSame(visitor.asked.toSorted(), ['/n/0', '/n/1', '/n/2', '/n/3', '/n/4', '/n/9'])
})

t.test('nothing is prefetched on a slow connection, unless a script asks for it', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, {
    init: () => Object.defineProperty(navigator, 'connection', { value: { effectiveType: 'slow-2g' } }),
  })
  await visitor.page.clock.install()
  await visitor.start('/visible')
  await visitor.page.locator('a[href="/n/6"]').hover()
  await visitor.page.clock.runFor(1000)
  t.strictSame(visitor.asked, [])
  gates.gate('n0').open()
  await prefetch(visitor, '/n/0')
  t.strictSame(visitor.asked, ['/n/0'])
})

t.test('a prefetched page outlives a navigation, if it has the layouts that are on the screen', async (t) => {
  const { visit } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.start('/')
  await prefetch(visitor, '/target')
  await prefetch(visitor, '/a/b')
  await visitor.click('/a')
  await visitor.stands('A')
  t.equal(await visitor.read('#of-a'), '2')
  await visitor.click('/a/b')
  await visitor.stands('B')
  t.equal(await visitor.read('#of-a'), '2', 'the layout does not show older data')
  await visitor.click('/target')
  await visitor.stands('Target')
  t.strictSame(visitor.asked, ['/target', '/a/b', '/a', '/a/b'])
  t.strictSame(visitor.documents, [])
})

t.test('a prefetch that failed or was redirected has no consequences', async (t) => {
  const { visit } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  const { page } = visitor
  await visitor.start('/')
  await prefetch(visitor, '/fails')
  await prefetch(visitor, '/sign-in')
  await page.route('**/target?_hydrant', (route) => route.abort(), { times: 1 })
  await prefetch(visitor, '/target')
  for (const [path, title] of [
    ['/fails', 'Works'],
    ['/sign-in', 'Signed in'],
    ['/target', 'Target'],
  ] as const) {
    await visitor.click(path)
    await visitor.stands(title)
  }
  t.strictSame(visitor.documents, [])
})

t.test('an action discards what was prefetched before', async (t) => {
  const { visit } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  const { page } = visitor
  await visitor.start('/target')
  await prefetch(visitor, '/a')
  const acted = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.getByRole('button', { name: 'Act' }).click()
  await acted
  await visitor.click('/a')
  await visitor.stands('A')
  t.equal(await visitor.read('#of-a'), '2')
})
