/// <reference lib="dom" />

// Pages next to routes of an app, and responses that are not Hydrant's.

import { createServer, type Server } from 'node:http'
import Fastify from 'fastify'
import t from 'tap'
import { hydrant } from '../../src/server/index.ts'
import { BUILD_HEADER } from '../../src/shared/wire/navigation-protocol.ts'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { takesNavigations } from './navigation-site.ts'

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

const notes = Object.assign(globalThis, { hydrantNotes: 0, hydrantUpload: linesFor(script) })
const dir = await buildApp(t, 'scripts')

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
  const outcomes: Record<string, unknown> = {}
  for (const { title, ...answer } of FOREIGN) {
    const opened = await openHome()
    const posts: string[] = []
    opened.page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
    await opened.page.route(/\/note\?_hydrant$/, (route) => route.fulfill(answer))
    await opened.fill('[name=text]', 'precious')
    await opened.click('#note')
    await opened.shown('[role=alert]')
    const isOpen = (await opened.read('[role=alert]')).includes('The form may or may not have arrived')
    const [text, name] = [await opened.valueOf('[name=text]'), await opened.page.title()]
    outcomes[title] = { isOpen, posts, text, name, notes: notes.hydrantNotes }
  }
  const expected = { isOpen: true, posts: [`${origin}/note?_hydrant`], text: 'precious', name: '', notes: 0 }
  t.strictSame(outcomes, Object.fromEntries(FOREIGN.map(({ title }) => [title, expected])))
})

t.test('a page with a response that is not Hydrant’s is loaded as a document', async (t) => {
  const outcomes: Record<string, unknown> = {}
  for (const { title, ...answer } of FOREIGN) {
    const opened = await openHome()
    await opened.page.route(/\/other\?_hydrant$/, (route) => route.fulfill(answer))
    await Promise.all([opened.page.waitForEvent('load'), opened.click('#other')])
    await opened.hasText('h1', 'Other')
    outcomes[title] = { url: opened.page.url(), name: await opened.page.title() }
  }
  const expected = { url: `${origin}/other`, name: '' }
  t.strictSame(outcomes, Object.fromEntries(FOREIGN.map(({ title }) => [title, expected])))
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
  const wrong: string[] = []
  for (const file of [script, script.replace('http:', ''), script.replace('http://', '\\\\'), `/x/../${script}`]) {
    const opened = await openHome()
    const asked: string[] = []
    opened.page.on('request', (request) => asked.push(request.url()))
    const headers = { 'content-type': 'application/x-ndjson', [BUILD_HEADER]: 'any' }
    await opened.page.route(/\/other\?_hydrant$/, (route) => route.fulfill({ headers, body: linesFor(file) }))
    await Promise.all([opened.page.waitForEvent('load'), opened.click('#other')])
    await opened.hasText('h1', 'Other')
    const isAsked = asked.some((url) => url.startsWith(new URL(script).origin))
    if (isAsked || (await opened.page.title()) !== '') wrong.push(file)
  }
  t.strictSame(wrong, [])
})

t.test('a URL with the marker redirects a visitor to the page without it', async (t) => {
  const opened = await chromium.open({}, t)
  const wrong: string[] = []
  for (const [from, to] of [
    ['/other?_hydrant', '/other'],
    ['/other?a=b&_hydrant', '/other?a=b'],
    ['/?_hydrant', '/'],
    ['//other?_hydrant', '//other'],
    ['/a:b?_hydrant', '/a:b'],
  ]) {
    await opened.goto(`${origin}${from}`, 'load')
    if (opened.page.url() !== `${origin}${to}`) wrong.push(`${from} leads to ${opened.page.url()}`)
  }
  t.strictSame(wrong, [])
})
