import { type ReactNode, Suspense, use } from 'react'
import t from 'tap'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const MAX_LENGTH = 10_000
const long = 'long '.repeat(MAX_LENGTH / 5)

interface LaterData {
  data: { later: Promise<unknown> }
}
function Later({ promise, children }: { promise: Promise<unknown>; children: ReactNode }) {
  use(promise)
  return children
}
const load = () => ({ later: new Promise((resolve) => setTimeout(resolve, 5)) })

function Part({ level }: { level: number }) {
  use(promiseOf(level))
  return (
    <>
      <p>{'part '.repeat(100)}</p>
      <Suspense fallback="wait">
        <Part level={level + 1} />
      </Suspense>
    </>
  )
}
const promises: Promise<unknown>[] = []
function promiseOf(level: number) {
  const promise = promises[level] ?? new Promise((resolve) => setImmediate(resolve))
  promises[level] = promise
  return promise
}

const site = {
  '/layout': ({ children }: { children: ReactNode }) => (
    <html lang="en">
      <body>
        <nav>the site</nav>
        {children}
      </body>
    </html>
  ),
  '/whole': { Component: () => <p>{long}</p>, load: () => 'data' },
  '/shell': {
    Component: ({ data }: LaterData) => (
      <>
        <p>{long}</p>
        <Suspense fallback="wait">
          <Later promise={data.later}>late</Later>
        </Suspense>
      </>
    ),
    load,
  },
  '/later': {
    Component: ({ data }: LaterData) => (
      <>
        <h1>shell</h1>
        <Suspense fallback="wait">
          <Later promise={data.later}>{long}</Later>
        </Suspense>
      </>
    ),
    load,
  },
  '/endless': () => (
    <>
      <h1>shell</h1>
      <Suspense fallback="wait">
        <Part level={0} />
      </Suspense>
    </>
  ),
}

const served = await testSite(t, site, { limits: { maxDocumentLength: MAX_LENGTH } })

t.test('a document that is too long before anything was sent is a failure', async (t) => {
  for (const path of ['/whole', '/shell']) {
    const response = await served.get(path)
    t.equal(response.statusCode, 500, path)
    t.match(response.body, /<nav>the site<\/nav>.*Application error: a server-side exception/s, 'in the page’s place')
    t.match(response.body, String(response.headers['x-error-digest']))
    t.ok(response.body.length < MAX_LENGTH)
    const failures = served.failuresOf(response)
    t.match(failures, [{ phase: 'render', err: { message: 'the document is longer than 10000 characters' } }])
    t.equal(failures.length, 1)
    t.notOk('statusSent' in (failures[0] ?? {}))
  }
  const crawled = await served.get('/later', { ...HTML, 'user-agent': 'Googlebot/2.1' })
  t.equal(crawled.statusCode, 500)
  t.equal((await served.get('/whole', JSON_ONLY)).body, '"data"', 'its data is as it was')
})

t.test('a document that becomes too long ends with the failure', async (t) => {
  for (const path of ['/later', '/endless']) {
    const response = await served.get(path)
    t.equal(response.statusCode, 200, path)
    const failures = served.failuresOf(response)
    t.match(failures, [{ phase: 'stream', statusSent: 200, digest: String }])
    t.equal(failures.length, 1)
    const { body } = response
    t.match(body, '<h1>shell</h1>')
    t.match(body, new RegExp(`<noscript>.*${failures[0]?.digest}.*</body></html>$`, 's'))
    t.ok(body.length < 2.5 * MAX_LENGTH, `${body.length} characters`)
  }
})

t.test('wherever a stream is cut, no script is, and nothing follows its end', async (t) => {
  const limits = Array.from({ length: 40 }, (_, index) => MAX_LENGTH + 10 * index)
  const wrong = await findFailing(limits, async (maxDocumentLength) => {
    promises.length = 0
    const { body } = await (await testSite(t, site, { limits: { maxDocumentLength } })).get('/endless')
    const scripts = [...body.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, code = '']) => code)
    const cut = scripts.filter((code) => code.includes('<script'))
    return body.endsWith('</div></noscript></body></html>') && cut.length === 0 ? undefined : [cut, body.slice(-60)]
  })
  t.strictSame(wrong, [])
})
