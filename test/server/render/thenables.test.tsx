import { type ReactNode, Suspense, use } from 'react'
import t from 'tap'
import type { LoadContext } from '../../../src/server/index.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { marked } from '../lines.ts'
import { HTML, JSON_ONLY } from '../served.ts'

type Text = Promise<string>
const Part = ({ of }: { of: Text }) => <b>{use(of)}</b>
const shown = (of: Text | undefined) => (
  <main>
    <Suspense fallback="waits">{of && <Part of={of} />}</Suspense>
  </main>
)
const Component = ({ data }: { data: { part: Text } }) => shown(data.part)

t.test('a promise that rejects with a thenable is a failure, and ends', async (t) => {
  // biome-ignore lint/suspicious/noThenProperty: a thenable is what the test is about
  const thenable = { then: (_: unknown, no: (reason: string) => void) => no('inner secret'), statusCode: 400 }
  const load = () => ({ part: new Promise((_, reject) => setImmediate(() => reject(thenable))) })
  const { get, failuresOf } = await testSite(t, { '/': { Component, load } }, { ledger: false })
  const document = await get('/')
  const [failure, ...more] = failuresOf(document)
  t.strictSame(more, [])
  t.match(document.body, String(failure?.digest))
  t.notMatch(document.body, 'inner secret')
  const json = await get('/', JSON_ONLY)
  t.equal(json.statusCode, 500)
  t.match(json.headers['content-type'], 'application/problem+json')
})

t.test(
  'code that rejects because the deadline aborted it is not a failure of its own, whatever it rejects with',
  async (t) => {
    const load = ({ signal }: LoadContext) => ({
      part: new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Proxy({}, {})))),
    })
    const { get, failuresOf } = await testSite(
      t,
      { '/': { Component, load } },
      { ledger: false, timeouts: { renderMs: 100 } },
    )
    const document = await get('/')
    const [failure, ...more] = failuresOf(document)
    t.match(failure?.err?.message, 'not complete within 100 ms')
    t.strictSame(more, [])
    const digests = document.body.match(/[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}/g)
    t.strictSame([...new Set(digests)], [failure?.digest], 'one digest in the document')
  },
)

t.test('a promise that rejects with an unreadable value is a failure, wherever the data holds it', async (t) => {
  function fail() {
    throw 1
  }
  const load = () => {
    const part = new Promise((_, reject) => setImmediate(() => reject(new Proxy({}, { get: fail }))))
    return { part, map: new Map([['key', part]]) }
  }
  const Component = ({ data }: { data: { map: Map<string, Text> } }) => shown(data.map.get('key'))
  const { get, failuresOf } = await testSite(t, { '/': { Component, load } }, { ledger: false })
  const document = await get('/')
  const [failure, ...more] = failuresOf(document)
  t.strictSame(more, [])
  t.match(document.body, String(failure?.digest))
  t.match(document.body, '</html>')
})

t.test('a query builder in the data sends its query once, in each format', async (t) => {
  const sent: string[] = []
  class Query {
    // biome-ignore lint/suspicious/noThenProperty: as a query builder has it
    then(resolve: (rows: unknown) => void) {
      sent.push('select')
      return new Promise((done) => setImmediate(done, ['a row'])).then(resolve)
    }
  }
  const site = {
    '/layout': {
      Component: ({ children }: { children: ReactNode }) => (
        <html lang="en">
          <head />
          <body>{children}</body>
        </html>
      ),
      // With a second load, the first value has to wait.
      load: () => new Promise((resolve) => setImmediate(resolve)),
    },
    '/': { Component, load: () => ({ part: new Query(), list: [{ more: new Query() }] }) },
  }
  const { get } = await testSite(t, site, { ledger: false })
  for (const [url, headers] of [
    ['/', HTML],
    ['/', JSON_ONLY],
    [marked('/'), navigationHeaders()],
  ] as const) {
    const response = await get(url, headers)
    t.equal(response.statusCode, 200)
    t.match(response.body, 'a row')
    t.equal(sent.splice(0).length, 2, headers.accept ?? url)
  }
})
