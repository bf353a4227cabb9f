// Attacks with text that ends its element (cross-site scripting): values in inline scripts, as in the advisories of
// serialize-javascript (CVE-2019-16769) and of devalue, in attributes, and in URLs.

import { createContext, Script } from 'node:vm'
import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { checkNonces } from '../failures/html.ts'
import { linesOfResponse, marked, navigationHeaders } from '../server/lines.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../server/served.ts'

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

const page = (inner: string) => `import { Suspense, use } from 'react'
void [Suspense, use]
export default function Page({ data, params, url, actionData }) {
  void [data, params, url, actionData]
  return <main>${inner}</main>
}
`
const list = JSON.stringify(NASTY)
const dir = await buildFiles(t.testdir({}), {
  'pages/data.tsx': page('{data.texts.map((text) => <p key={text} title={text} className={text}>{text}</p>)}'),
  'pages/data.server.ts': `const texts = ${list}
export const load = () => ({ texts, keys: Object.fromEntries(texts.map((text) => [text, text])), map: new Map(texts.map((text) => [text, new Date(0)])), big: 1n })
`,
  'pages/plain.tsx': page('{data.texts.length}'),
  'pages/plain.server.ts': `const texts = ${list}\nexport const load = () => ({ texts, keys: Object.fromEntries(texts.map((text) => [text, text])) })\n`,
  'pages/given/[name].tsx': page('<a href={url.pathname} title={params.name}>{params.name}</a>'),
  'pages/rest/[...rest].tsx': page('{params.rest}'),
  'pages/act.tsx': page('<output>{actionData?.text}</output>'),
  'pages/act.server.ts': "export const action = ({ form }) => ({ text: form.get('text'), at: new Date(0) })\n",
  'pages/spread.tsx': page('<p {...data.names}>text</p>'),
  'pages/spread.server.ts': 'export const load = ({ url }) => ({ names: Object.fromEntries(url.searchParams) })\n',
  'pages/later.tsx': `import { Suspense, use } from 'react'
function Part({ of }) {
  return <p title={use(of)}>{use(of)}</p>
}
export default function Page({ data }) {
  return data.parts.map((part, index) => <Suspense key={index} fallback="…"><Part of={part} /></Suspense>)
}
`,
  'pages/later.server.ts': `const later = (text) => new Promise((resolve) => setImmediate(resolve, text))
export const load = () => ({ parts: ${list}.map(later) })
`,
  'pages/refuses.tsx': page('{String(data)}'),
  'pages/refuses.server.ts':
    "import { HttpError } from 'hydrant'\nexport const load = ({ url }) => {\n  throw new HttpError(403, url.searchParams.get('text'))\n}\n",
  'pages/refused-later.tsx': `import { Suspense, use } from 'react'
function Part({ of }) {
  return <p>{use(of)}</p>
}
export default function Page({ data }) {
  return <main><Suspense fallback="…"><Part of={data.part} /></Suspense></main>
}
`,
  'pages/refused-later.server.ts': `import { HttpError } from 'hydrant'
export const load = ({ url }) => ({ part: new Promise((_, reject) => setImmediate(() => reject(new HttpError(403, url.searchParams.get('text'))))) })
`,
  'pages/fails.tsx': page('{(() => { throw new Error(url.search) })()}'),
})

const RAW = /<(?:img|svg|script>)|<\/?script\0|<!--<script|onmouseover="alert/i

/**
 * Checks that no text is markup and each inline script is complete. Returns the values that the scripts pass to the
 * client.
 */
function checkDocument(t: Test, response: LightMyRequestResponse, title: string): unknown {
  const html = response.body
  t.notMatch(html, RAW, title)
  checkNonces(t, html, { 'content-security-policy': String(response.headers['content-security-policy']) })
  const self: { __hydrant?: unknown } = {}
  const context = createContext({ self, alert: () => t.fail(`${title}: a text has run`) })
  for (const [, script = ''] of html.matchAll(/<script nonce="[^"]*">(.*?)<\/script/gis)) {
    // A script that ended too early does not compile.
    const program = new Script(script)
    // React's own scripts need a document, and pass nothing to the client.
    if (!script.startsWith('self.__hydrant')) continue
    t.notMatch(script, /[<\u2028\u2029]/, `${title}: nothing in it could end it`)
    program.runInContext(context)
  }
  return self.__hydrant
}

// A lone surrogate cannot be sent.
const wellFormed = (text: string) => Buffer.from(text).toString()

/** Whether a value has arrived unchanged. */
function holds(told: unknown, text: string): boolean {
  return JSON.stringify(told).includes(JSON.stringify(text))
}

t.test('texts in data are texts in the document, and arrive complete', async (t) => {
  const { get, app } = await serve(t, dir)
  for (const path of ['/data', '/plain', '/later']) {
    const response = await get(path)
    t.equal(response.statusCode, 200, path)
    const told = checkDocument(t, response, path)
    for (const text of NASTY) t.ok(holds(told, text), `${path}: ${JSON.stringify(text)}`.replace(/[\u2028\u2029]/g, ''))
    const lines = await app.inject({ url: marked(path), headers: { ...HTML, ...navigationHeaders(dir) } })
    t.match(lines.headers['content-type'], 'application/x-ndjson')
    for (const text of NASTY) t.ok(holds(linesOfResponse(lines), text), 'also as lines')
  }
})

t.test('the URL, its parameters and its query are texts', async (t) => {
  const { get } = await serve(t, dir)
  for (const text of NASTY) {
    for (const spelled of [encodeURIComponent(wellFormed(text)), encodeURI(wellFormed(text))]) {
      for (const url of [
        `/given/${spelled}`,
        `/rest/${spelled}`,
        `/given/a?q=${spelled}`,
        `/fails?q=${spelled}`,
        `/nowhere/${spelled}`,
      ]) {
        const response = await get(url)
        t.ok(response.statusCode < 501, url)
        if (String(response.headers['content-type']).startsWith('text/html') && /<script/.test(response.body))
          checkDocument(t, response, url)
        else t.notMatch(response.body, RAW, url)
      }
    }
  }
  for (const text of NASTY.map((text) => text.replace(/[^ -~]/g, ''))) {
    const response = await get('/given/a', {
      ...HTML,
      host: text,
      'x-forwarded-host': text,
      referer: text,
      'user-agent': text,
    })
    checkDocument(t, response, `host ${text}`)
  }
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
  const { get } = await serve(t, dir)
  for (const name of NAMES) {
    const response = await get(`/spread?${new URLSearchParams([[name, '"alert(1)" onmouseover="alert(1)']])}`)
    const title = encodeURI(name)
    checkDocument(t, response, title)
    const [, tag = ''] = /<main><p([^>]*)>text<\/p>/.exec(response.body) ?? []
    t.notMatch(tag.replace(/"[^"]*"/g, ''), /mouseover|alert|</i, `${title}: ${tag}`)
  }
})

t.test('the result of an action is text', async (t) => {
  const { app } = await serve(t, dir)
  for (const text of NASTY.map((text) => wellFormed(text))) {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const payload = new URLSearchParams({ text }).toString()
    const response = await app.inject({ method: 'POST', url: '/act', headers: { ...HTML, ...form }, payload })
    t.ok(holds(checkDocument(t, response, encodeURI(text)), text), 'it arrives')
    const json = await app.inject({ method: 'POST', url: '/act', headers: { ...JSON_ONLY, ...form }, payload })
    t.match(json.headers['content-type'], 'application/json')
  }
})

t.test('the message of a refusal is text, at once and later', async (t) => {
  const { get } = await serve(t, dir)
  for (const text of NASTY.map((text) => wellFormed(text))) {
    const query = new URLSearchParams({ text })
    const refused = await get(`/refuses?${query}`)
    t.equal(refused.statusCode, 403)
    checkDocument(t, refused, encodeURI(text))
    checkDocument(t, await get(`/refused-later?${query}`), `later: ${encodeURI(text)}`)
  }
})
