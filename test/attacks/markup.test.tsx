// Attacks with text that ends its element (cross-site scripting): values in inline scripts, as in the advisories of
// serialize-javascript (CVE-2019-16769) and of devalue, in attributes, and in URLs.

import { createContext, Script } from 'node:vm'
import type { LightMyRequestResponse } from 'fastify'
import { Suspense, use } from 'react'
import t from 'tap'
import { type ActionContext, HttpError, type LoadContext } from '../../src/server/index.ts'
import { findNonceFaults } from '../failures/html.ts'
import { findFailing } from '../find-failing.ts'
import { linesOfResponse, marked } from '../server/lines.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'

const NASTY = [
  '</script><script>alert(1)</script>',
  '</ScRiPt ><img src=x onerror=alert(1)>',
  '<!--<script>',
  '--><script>alert(1)</script>',
  ']]><script>alert(1)</script>',
  '</noscript></template></textarea></title></style><svg onload=alert(1)>',
  '\u2028alert(1)\u2029',
  '"><img src=x onerror=alert(1)>',
  "'><img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)',
  '\\"};alert(1)//',
  '\\u003c/script>\\u003cscript>alert(1)',
  '`alert(1)`',
  '&lt;script&gt;&#60;script&#62;',
  '\u0000</script\u0000>',
  '\ud800</script>',
  'javascript:alert(1)',
]

const later = (text: string) => new Promise<string>((resolve) => setImmediate(resolve, text))
const Late = ({ of }: { of: Promise<string> }) => <p>{use(of)}</p>
const LateTitle = ({ of }: { of: Promise<string> }) => <p title={use(of)}>{use(of)}</p>
const refuse = ({ url }: LoadContext) => {
  throw new HttpError(403, String(url.searchParams.get('text')))
}
const keys = Object.fromEntries(NASTY.map((text) => [text, text]))
const site = {
  '/data': {
    load: () => ({ texts: NASTY, keys, map: new Map(NASTY.map((text) => [text, new Date(0)])), big: 1n }),
    Component: ({ data }: { data: { texts: string[] } }) => (
      <main>
        {data.texts.map((text) => (
          <p key={text} title={text} className={text}>
            {text}
          </p>
        ))}
      </main>
    ),
  },
  '/plain': {
    load: () => ({ texts: NASTY, keys }),
    Component: ({ data }: { data: { texts: string[] } }) => <main>{data.texts.length}</main>,
  },
  '/given/[name]': ({ url, params }: { url: URL; params: { name: string } }) => (
    <main>
      <a href={url.pathname} title={params.name}>
        {params.name}
      </a>
    </main>
  ),
  '/rest/[...rest]': ({ params }: { params: { rest: string } }) => <main>{params.rest}</main>,
  '/act': {
    action: ({ form }: ActionContext) => ({ text: form.get('text'), at: new Date(0) }),
    Component: ({ actionData }: { actionData?: { text: string } }) => (
      <main>
        <output>{actionData?.text}</output>
      </main>
    ),
  },
  '/spread': {
    load: ({ url }: LoadContext) => ({ names: Object.fromEntries(url.searchParams) }),
    Component: ({ data }: { data: { names: object } }) => (
      <main>
        <p {...data.names}>text</p>
      </main>
    ),
  },
  '/later': {
    load: () => ({ parts: NASTY.map(later) }),
    Component: ({ data }: { data: { parts: Promise<string>[] } }) =>
      data.parts.map((part, index) => (
        <Suspense key={index} fallback="…">
          <LateTitle of={part} />
        </Suspense>
      )),
  },
  '/refuses': { load: refuse },
  '/refused-later': {
    load: (ctx: LoadContext) => ({ part: new Promise(setImmediate).then(() => refuse(ctx)) }),
    Component: ({ data }: { data: { part: Promise<string> } }) => (
      <main>
        <Suspense fallback="…">
          <Late of={data.part} />
        </Suspense>
      </main>
    ),
  },
  '/fails': ({ url }: { url: URL }) => {
    throw new Error(url.search)
  },
}

const RAW = /<(?:img|svg|script>)|<\/?script\0|<!--<script|onmouseover="alert/i

/**
 * Returns the faults of a document, in which no text is markup and each inline script is complete, and the values that the
 * scripts pass to the client.
 */
function readDocument({ body: html, headers }: LightMyRequestResponse): { faults: string[]; told: unknown } {
  const faults = findNonceFaults(html, { 'content-security-policy': String(headers['content-security-policy']) })
  faults.push(...rawIn(html))
  const self: { __hydrant?: unknown } = {}
  const context = createContext({ self, alert: () => faults.push('a text has run') })
  for (const [, script = ''] of html.matchAll(/<script nonce="[^"]*">(.*?)<\/script/gis)) {
    // A script that ended too early does not compile.
    const program = new Script(script)
    // React's own scripts need a document, and pass nothing to the client.
    if (!script.startsWith('self.__hydrant')) continue
    if (/[<\u2028\u2029]/.test(script)) faults.push(`could end: ${script}`)
    program.runInContext(context)
  }
  return { faults, told: self.__hydrant }
}

const rawIn = (body: string) => [...(RAW.exec(body) ?? [])]
const faultsOf = (response: LightMyRequestResponse) => readDocument(response).faults
const none = () => []

// A lone surrogate cannot be sent.
const wellFormed = (text: string) => Buffer.from(text).toString()

/** Whether a value has arrived unchanged. */
function holds(told: unknown, text: string): boolean {
  return JSON.stringify(told).includes(JSON.stringify(text))
}

const missingIn = (told: unknown) => NASTY.filter((text) => !holds(told, text))

t.test('texts in data are texts in the document, and arrive complete', async (t) => {
  const { get, app } = await testSite(t, site)
  for (const path of ['/data', '/plain', '/later']) {
    const response = await get(path)
    t.equal(response.statusCode, 200, path)
    const { faults, told } = readDocument(response)
    t.strictSame(faults, [], path)
    t.strictSame(missingIn(told), [], path)
    const lines = await app.inject({ url: marked(path), headers: { ...HTML, ...navigationHeaders() } })
    t.match(lines.headers['content-type'], 'application/x-ndjson')
    t.strictSame(missingIn(linesOfResponse(lines)), [], `${path}, also as lines`)
  }
})

t.test('the URL, its parameters and its query are texts', async (t) => {
  const { get } = await testSite(t, site)
  const urls = NASTY.flatMap((text) => [encodeURIComponent(wellFormed(text)), encodeURI(wellFormed(text))]).flatMap(
    (spelled) => [
      `/given/${spelled}`,
      `/rest/${spelled}`,
      `/given/a?q=${spelled}`,
      `/fails?q=${spelled}`,
      `/nowhere/${spelled}`,
    ],
  )
  let documents = 0
  const ofUrls = async (url: string) => {
    const response = await get(url)
    if (response.statusCode > 500) return response.statusCode
    if (!String(response.headers['content-type']).startsWith('text/html') || !/<script/.test(response.body))
      return rawIn(response.body)
    documents++
    return faultsOf(response)
  }
  t.strictSame(await findFailing(urls, ofUrls, none), [])
  t.ok(documents > urls.length / 2, `${documents} documents`)
  const texts = NASTY.map((text) => text.replace(/[^ -~]/g, ''))
  const ofHeaders = async (text: string) => {
    const headers = { host: text, 'x-forwarded-host': text, referer: text, 'user-agent': text }
    return faultsOf(await get('/given/a', { ...HTML, ...headers }))
  }
  t.strictSame(await findFailing(texts, ofHeaders, none), [])
})

// CVE-2018-6341 of react-dom: the server did not check the names of attributes.
const NAMES = [
  ...NASTY.map((text) => Buffer.from(text).toString()),
  'x onmouseover="alert(1)" y',
  'x><img src=x onerror=alert(1)><p y',
  'onmouseover',
  'onMouseOver',
  'a/b',
  "a'b",
  'a=b',
  '=',
  ' ',
  '\u0000',
  '\u00a0onmouseover',
  'x\nonmouseover',
  'x\u2028onmouseover',
  '__proto__',
  'ref',
  'key',
]

t.test('attribute names from a visitor end no tag', async (t) => {
  const { get } = await testSite(t, site)
  const ofName = async (name: string) => {
    const response = await get(`/spread?${new URLSearchParams([[name, '"alert(1)" onmouseover="alert(1)']])}`)
    const [, tag = ''] = /<main><p([^>]*)>text<\/p>/.exec(response.body) ?? []
    return [...faultsOf(response), ...(/mouseover|alert|</i.test(tag.replace(/"[^"]*"/g, '')) ? [tag] : [])]
  }
  t.strictSame(await findFailing(NAMES, ofName, none), [])
})

t.test('the result of an action is text', async (t) => {
  const { app } = await testSite(t, site)
  const ofText = async (text: string) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const payload = new URLSearchParams({ text }).toString()
    const response = await app.inject({ method: 'POST', url: '/act', headers: { ...HTML, ...form }, payload })
    const { faults, told } = readDocument(response)
    const json = await app.inject({ method: 'POST', url: '/act', headers: { ...JSON_ONLY, ...form }, payload })
    return { faults, arrives: holds(told, text), type: String(json.headers['content-type']).split(';')[0] }
  }
  const expected = () => ({ faults: [], arrives: true, type: 'application/json' })
  t.strictSame(await findFailing(NASTY.map(wellFormed), ofText, expected), [])
})

t.test('the message of a refusal is text, at once and later', async (t) => {
  const { get } = await testSite(t, site)
  const ofText = async (text: string) => {
    const query = new URLSearchParams({ text })
    const refused = await get(`/refuses?${query}`)
    const later = await get(`/refused-later?${query}`)
    return { status: refused.statusCode, faults: [...faultsOf(refused), ...faultsOf(later)] }
  }
  t.strictSame(await findFailing(NASTY.map(wellFormed), ofText, () => ({ status: 403, faults: [] })), [])
})
