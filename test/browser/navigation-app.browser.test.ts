/// <reference lib="dom" />

// Pages next to routes of an app, and responses that are not Hydrant's.

import { createServer, type Server } from 'node:http'
import Fastify from 'fastify'
import t from 'tap'
import { hydrant } from '../../src/server/index.ts'
import { BUILD_HEADER } from '../../src/shared/wire/navigation-protocol.ts'
import { listen } from '../server/lines.ts'
import { buildForBrowser } from '../server/served.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { takesNavigations } from './navigation-site.ts'

const page = (title: string) => `export default function Page() {\n  return <h1>${title}</h1>\n}\n`

/** A script on another origin that sets the title when it runs. */
async function serveScript(): Promise<string> {
  const server: Server = createServer((_request, response) => {
    const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }
    response.writeHead(200, headers).end("document.title = 'owned'; export default () => null")
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/script.js`
}

const script = await serveScript()
const linesFor = (file: string) =>
  `["start",{"kept":0,"preload":[${JSON.stringify(file)}],"url":"http://x/","params":{},"layouts":[],"leaf":{"kind":"page","file":${JSON.stringify(file)}},"build":"x"}]\n["data",0,{}]\n`

const sendUpload = (more: string) =>
  `${more}export const load = async ({ reply }) => {
  await reply.type('application/x-ndjson').header('content-disposition', 'attachment').header('hydrant-build', 'any').send(${JSON.stringify(linesFor(script))})
}\n`

const dir = await buildForBrowser(t.testdir({}), {
  'pages/index.tsx': `export default function Page() {
  return <main>
    <h1>Home</h1>
    <a id="logout" href="/logout">Log out</a>
    <form method="post" action="/pay"><input name="amount" defaultValue="10" /><button id="pay">Pay</button></form>
    <form method="post" action="/note"><input name="text" defaultValue="typed" /><button id="note">Note</button></form>
    <a id="whole" href="/whole">whole</a> <a id="streamed" href="/streamed">streamed</a>
    <a id="other" href="/other">other</a>
  </main>
}\n`,
  'pages/[slug].tsx': page('A slug'),
  'pages/other.tsx': page('Other'),
  'pages/note.tsx': page('Note'),
  'pages/note.server.ts': 'export const action = () => void globalThis.hydrantNotes++\n',
  'pages/whole.tsx': page('Whole'),
  'pages/whole.server.ts': sendUpload('export const stream = false\n'),
  'pages/streamed.tsx': page('Streamed'),
  'pages/streamed.server.ts': sendUpload(''),
})
const notes = Object.assign(globalThis, { hydrantNotes: 0 })

const calls: string[] = []
const app = Fastify()
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, String(body)),
)
app.get('/logout', async (request, reply) => {
  calls.push(`${request.method} ${request.url}`)
  return reply.type('text/html').send('<h1>Out</h1>')
})
await app.register(hydrant, { dir, ledger: false })
app.post('/pay', async (request, reply) => {
  calls.push(`${request.method} ${request.url} ${request.body}`)
  return reply.type('text/html').send('<h1>Paid</h1>')
})
const origin = await listen(t, app)
t.teardown(() => app.close())
const chromium = await launchChromium(t)

async function openHome(): Promise<OpenPage> {
  const opened = await chromium.open({}, t)
  await opened.goto(`${origin}/`, 'load')
  await takesNavigations(opened)
  calls.length = 0
  notes.hydrantNotes = 0
  return opened
}

const answered = ({ page }: OpenPage, path: string) =>
  page.waitForResponse((response) => response.url() === `${origin}${path}?_hydrant`)

t.test('pointing at a link to a route of the app does not run it, and a click runs it once', async (t) => {
  const opened = await openHome()
  await Promise.all([answered(opened, '/logout'), opened.hover('#logout')])
  t.strictSame(calls, [])
  await Promise.all([opened.page.waitForEvent('load'), opened.click('#logout')])
  await opened.hasText('h1', 'Out')
  t.strictSame(calls, ['GET /logout'])
})

t.test('a form for a route of the app is sent once', async (t) => {
  const opened = await openHome()
  await Promise.all([opened.page.waitForEvent('load'), opened.click('#pay')])
  await opened.hasText('h1', 'Paid')
  t.strictSame(calls, ['POST /pay amount=10'])
})

/** Responses that are not the site's, whatever happened to the form. */
const FOREIGN = [
  { title: 'a page of an error', status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' },
  { title: 'a document', status: 200, contentType: 'text/html', body: '<!DOCTYPE html><h1>Note</h1>' },
  { title: 'lines that say to load', status: 200, contentType: 'application/x-ndjson', body: '["load"]\n' },
  { title: 'lines of a page', status: 200, contentType: 'application/x-ndjson', body: linesFor(script) },
  { title: 'a redirect as a line', status: 200, contentType: 'application/x-ndjson', body: '["redirect","/other"]\n' },
  { title: 'nothing', status: 204, contentType: 'text/plain', body: '' },
]

t.test('a form with a response that is not Hydrant’s is not sent again, and the typed text stays', async (t) => {
  for (const { title, ...answer } of FOREIGN) {
    const opened = await openHome()
    const posts: string[] = []
    opened.page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
    await opened.page.route(/\/note\?_hydrant$/, (route) => route.fulfill(answer))
    await opened.fill('[name=text]', 'precious')
    await opened.click('#note')
    await opened.shown('[role=alert]')
    t.match(await opened.read('[role=alert]'), 'The form may or may not have arrived', title)
    t.strictSame(posts, [`${origin}/note?_hydrant`], title)
    t.equal(await opened.valueOf('[name=text]'), 'precious')
    t.equal(await opened.page.title(), '')
    t.equal(notes.hydrantNotes, 0)
  }
})

t.test('a page with a response that is not Hydrant’s is loaded as a document', async (t) => {
  for (const { title, ...answer } of FOREIGN) {
    const opened = await openHome()
    await opened.page.route(/\/other\?_hydrant$/, (route) => route.fulfill(answer))
    await Promise.all([opened.page.waitForEvent('load'), opened.click('#other')])
    await opened.hasText('h1', 'Other')
    t.equal(opened.page.url(), `${origin}/other`, title)
    t.equal(await opened.page.title(), '')
  }
})

t.test('an upload that a load sends is not read as the site’s response', async (t) => {
  for (const name of ['whole', 'streamed']) {
    const opened = await openHome()
    await Promise.all([answered(opened, `/${name}`), opened.hover(`#${name}`)])
    const [asked] = await Promise.all([
      opened.page.waitForRequest((request) => request.isNavigationRequest()),
      opened.page.waitForEvent('download'),
      opened.click(`#${name}`),
    ])
    t.equal(asked.url(), `${origin}/${name}`, 'it is loaded as a document')
    t.equal(await opened.page.title(), '', 'the script did not run')
  }
})

t.test('files of other places do not run, even if the server names them', async (t) => {
  for (const file of [script, script.replace('http:', ''), script.replace('http://', '\\\\'), `/x/../${script}`]) {
    const opened = await openHome()
    const asked: string[] = []
    opened.page.on('request', (request) => asked.push(request.url()))
    const headers = { 'content-type': 'application/x-ndjson', [BUILD_HEADER]: 'any' }
    await opened.page.route(/\/other\?_hydrant$/, (route) => route.fulfill({ headers, body: linesFor(file) }))
    await Promise.all([opened.page.waitForEvent('load'), opened.click('#other')])
    await opened.hasText('h1', 'Other')
    t.equal(await opened.page.title(), '')
    t.notOk(
      asked.some((url) => url.startsWith(new URL(script).origin)),
      file,
    )
  }
})

t.test('a URL with the marker redirects a visitor to the page without it', async (t) => {
  const opened = await chromium.open({}, t)
  for (const [from, to] of [
    ['/other?_hydrant', '/other'],
    ['/other?a=b&_hydrant', '/other?a=b'],
    ['/?_hydrant', '/'],
    ['//other?_hydrant', '//other'],
    ['/a:b?_hydrant', '/a:b'],
  ]) {
    await opened.goto(`${origin}${from}`, 'load')
    t.equal(opened.page.url(), `${origin}${to}`)
  }
})
