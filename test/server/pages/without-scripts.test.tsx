import { Suspense, use } from 'react'
import t from 'tap'
import { reportPages } from '../../../scripts/commands/format-report.ts'
import type { ActionContext } from '../../../src/server/index.ts'
import { buildSharing } from '../../shared-compression.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { WITHOUT_HYDRATION } from '../../without-hydration.ts'
import { marked } from '../lines.ts'
import { HTML, JSON_ONLY, writeFiles } from '../served.ts'

const loadPart = () => ({ part: new Promise<string>((resolve) => setImmediate(resolve, 'the part')) })
const runs = { action: 0, cached: 0 }

const site = {
  '/': {},
  '/plain': {
    hydrate: false,
    Component: ({ data, actionData }: { data: { text: string }; actionData: string }) => (
      <>
        <p>{data.text}</p>
        <p>{actionData}</p>
        <a href="/">back</a>
      </>
    ),
    load: () => ({ text: 'plain', later: new Promise((resolve) => setImmediate(resolve, 'deferred')) }),
    async action({ form }: ActionContext) {
      runs.action++
      return `sent ${form.get('name')}`
    },
  },
  '/parts': {
    hydrate: false,
    Component: ({ data }: { data: ReturnType<typeof loadPart> }) => (
      <Suspense fallback="waiting">
        <Part {...data} />
      </Suspense>
    ),
    load: loadPart,
  },
  '/broken': {
    hydrate: false,
    Component() {
      throw new Error('broken')
    },
  },
  '/broken-part': {
    hydrate: false,
    Component: () => (
      <>
        <h1>whole</h1>
        <Suspense fallback="waiting">
          <BrokenPart />
        </Suspense>
      </>
    ),
  },
  '/cached': {
    hydrate: false,
    Component: ({ data }: { data: number }) => <p>{String(data)}</p>,
    cache: { maxAgeS: 60 },
    load: () => ++runs.cached,
  },
}

function Part({ part }: ReturnType<typeof loadPart>) {
  return (
    <p>
      {use(part)}
      {'x'.repeat(20_000)}
    </p>
  )
}

function BrokenPart(): never {
  throw new Error('broken part')
}

const POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"

t.test('the document has no script, no data and no preload links, and its policy forbids scripts', async (t) => {
  const { get } = await testSite(t, site)
  for (const url of ['/plain', '/parts', '/cached']) {
    const { body, headers, statusCode } = await get(url)
    t.equal(statusCode, 200, url)
    t.notMatch(body, /<script|<template|modulepreload|nonce|__hydrant/, url)
    t.equal(headers['content-security-policy'], POLICY, url)
    t.ok(headers.etag, url)
  }
  t.match((await get('/')).body, '<script', 'another page of the site has scripts')
})

t.test('parts that wait are in their place, in a document that is not streamed', async (t) => {
  const { get } = await testSite(t, site)
  const { body, headers } = await get('/parts')
  t.match(body, /<p>the part<!-- -->x{20000}<\/p>/)
  t.notMatch(body, /waiting|hidden/)
  t.equal(headers['content-length'], String(Buffer.byteLength(body)))
})

t.test('the data is still available as JSON', async (t) => {
  const { get } = await testSite(t, site)
  t.strictSame((await get('/plain', JSON_ONLY)).json(), { text: 'plain', later: 'deferred' })
})

t.test('a form is handled as by any page without JavaScript', async (t) => {
  const { app } = await testSite(t, site)
  const form = { method: 'POST' as const, url: '/plain', payload: 'name=Ada' }
  const headers = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }
  const { body, headers: sent } = await app.inject({ ...form, headers })
  t.match(body, '<p>sent Ada</p>')
  t.notMatch(body, '<script')
  t.equal(sent['content-security-policy'], POLICY)
})

t.test('a hydrated page is told to load the document, before a load or an action runs', async (t) => {
  const { app, get } = await testSite(t, site)
  const headers = { ...HTML, ...navigationHeaders(), 'sec-fetch-site': 'same-origin' }
  for (const url of ['/plain', '/cached', '/broken']) {
    const { body } = await get(marked(url), headers)
    t.equal(body, '["load"]\n', url)
  }
  const before = runs.action
  const { body } = await app.inject({
    method: 'POST',
    url: marked('/plain'),
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'name=Ada',
  })
  t.equal(body, '["load"]\n')
  t.equal(runs.action, before)
})

t.test('a failure shows the fallback, without a script', async (t) => {
  const { get } = await testSite(t, site)
  for (const url of ['/broken', '/broken-part']) {
    const { body, headers, statusCode } = await get(url)
    t.equal(statusCode, 500, url)
    t.match(body, '<div class="hydrant-failure" role="alert">', url)
    t.match(body, String(headers['x-error-digest']), url)
    t.notMatch(body, /<script|<noscript/, url)
    t.equal(headers['content-security-policy'], POLICY, url)
  }
  t.match((await get('/broken-part')).body, '<h1>whole</h1>')
})

t.test('a stored document has the same policy each time', async (t) => {
  const { get } = await testSite(t, site)
  const first = await get('/cached')
  const second = await get('/cached')
  t.equal(second.body, first.body)
  t.equal(second.headers.etag, first.headers.etag)
  t.equal(second.headers['content-security-policy'], POLICY)
})

t.test('the report of the build counts no scripts for it', async (t) => {
  const dir = t.testdir()
  writeFiles(dir, {
    ...WITHOUT_HYDRATION,
    'pages/index.tsx': 'export default () => <p>page</p>\n',
    'pages/plain.tsx': 'export const hydrate = false\nexport default () => <p>plain</p>\n',
  })
  const pages = reportPages(await buildSharing({ dir }))
  t.match(
    pages.find(({ url }) => url === '/plain'),
    { pageJs: 0, js: 0 },
  )
  t.ok(pages.find(({ url, js }) => url === '/' && js > 0))
})

t.test('another value than false is an error', async (t) => {
  const message = 'the export "hydrate" of pages/index.tsx must be false; got true'
  await t.rejects(testSite(t, { '/': { hydrate: true } }), { code: 'HYD_HYDRATE_EXPORT', message })
})
