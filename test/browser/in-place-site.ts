// A site whose forms are handled in place, and which counts its actions.

import { join } from 'node:path'
import type { Test } from 'tap'
import { buildForBrowser } from '../server/served.ts'
import { type SiteServer, startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { type Chromium, launchChromium, type OpenPage, type Owner, type PageOptions } from './chromium.ts'

const FILES = {
  'server.ts': `
import { HttpError, redirect } from 'hydrant'
export default async function server(app) {
  const done = []
  let gate
  app.decorate('done', (entry) => void done.push(entry))
  app.decorate('count', () => done.length)
  app.decorate('wait', () => new Promise((resolve) => { gate = resolve }))
  const gates = new Map()
  app.decorate('gate', (name) => new Promise((resolve) => gates.set(name, resolve)))
  app.get('/gates/:name', async ({ params: { name } }) => {
    const resolve = gates.get(name)
    resolve?.()
    return gates.delete(name)
  })
  app.get('/done', async () => done)
  app.decorate('settings', {})
  app.decorate('texts', [])
  app.get('/set', async ({ query }) => Object.assign(app.settings, query))
  app.get('/open', async () => {
    const resolve = gate
    gate = undefined
    resolve?.()
    return resolve !== undefined
  })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => done(null, String(body)))
  app.post('/api', async ({ body }, reply) => {
    done.push({ path: '/api', body })
    return reply.type('text/html').send('<p id="raw">from a route</p>')
  })
  app.get('/page.html', async (request, reply) => reply.type('text/html').send('<p>a route</p>'))
  app.post('/upload.csv', async ({ body }, reply) => {
    done.push({ path: '/upload.csv', body })
    return reply.type('text/html').send('<p>a file</p>')
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST' || !request.url.startsWith('/guarded')) return
    if (request.url.endsWith('redirect')) return reply.redirect('/target', 303)
    if (request.url.endsWith('307')) return reply.redirect('/sent-on', 307)
    if (request.url.endsWith('outside')) redirect('//evil.example')
    if (request.url.endsWith('fails')) throw new Error('SECRET-MARKER')
    throw new HttpError(401, 'Log in first')
  })
}
`,
  'pages/layout.tsx': `
import { useNavigation, useSubmission } from 'hydrant/react'
export default function Layout({ data, children }) {
  const { data: acted, isPending } = useSubmission()
  const going = useNavigation()
  return <html lang="en"><head><title>forms</title><style>{'@layer x;'}</style></head><body>
    <main>
      <p id="state">{going.state}{going.state === 'submitting' && ' ' + (going.formData.get('text') ?? '')}</p>
      <p id="pending">{String(isPending)}</p>
      <p id="acted">{JSON.stringify(acted) ?? 'none'}</p>
      <p id="count">{data.count} done</p>
      <input id="other" />
      <a id="away" href="/target">away</a>
      <p style={{ height: 1500 }}>far</p>
      {children}
      <p style={{ height: 1500 }} id="end">end</p>
    </main>
  </body></html>
}
`,
  'pages/layout.server.ts': 'export const load = ({ app }) => ({ count: app.count() })\n',
  'pages/form.tsx': `
const INTENTS = ['ok', 'problem', 'redirect', 'moved', 'same', 'anchor', 'reply-redirect', 'reply-elsewhere', 'reply-send', 'throw', 'wait', 'cut']
export default function Form({ actionData }) {
  return <>
    <h1>Form</h1>
    <form id="note" method="post">
      <input name="text" defaultValue="initial" />
      <button id="plain">Send</button>
      {INTENTS.map((intent) => <button key={intent} id={intent} name="intent" value={intent}>{intent}</button>)}
      <button id="elsewhere" formAction="/other">Elsewhere</button>
      <button id="get" formMethod="get" formAction="/target">By GET</button>
      <button id="text" name="intent" value="ok" formEncType="text/plain">As text</button>
      <button name="reset" type="button">Called reset</button>
    </form>
    <button id="outside" form="note" name="intent" value="outside">Outside</button>
    <form id="second" method="post"><input name="text" defaultValue="second" /><button id="send-second">Second</button></form>
    <form id="files" method="post" encType="multipart/form-data"><textarea name="text" /><input type="file" name="file" multiple /><button id="send-files">Files</button></form>
    <form id="names" method="post"><textarea name="text" /><input type="file" name="file" /><button id="send-names">Names</button></form>
    <form id="api" method="post" action="/api"><input name="text" defaultValue="x" /><button id="send-api">Route</button></form>
    <form id="guarded" method="post" action="/guarded"><button id="send-guarded">Guarded</button><button id="send-guarded-redirect" formAction="/guarded?redirect">Redirected</button></form>
    <form id="loud" method="get" action="/target"><input name="q" defaultValue="1 2" /><button id="send-get">Get</button></form>
    <form id="posted" method="get"><button id="post" formMethod="post" name="intent" value="ok">By POST</button></form>
    <p id="data">{JSON.stringify(actionData) ?? 'none'}</p>
  </>
}
`,
  'pages/form.server.ts': `
import { redirect } from 'hydrant'
export async function action({ app, form, reply, request, url }) {
  const intent = form.get('intent')
  const entries = []
  for (const [name, value] of form) entries.push([name, typeof value === 'string' ? value : value.name + ': ' + await value.text()])
  app.done({ path: url.pathname, method: request.method, entries })
  if (intent === 'wait') await app.wait()
  if (intent === 'cut') return request.raw.socket.destroy()
  if (intent === 'problem') reply.code(422)
  if (intent === 'throw') throw new Error('SECRET-MARKER')
  if (intent === 'redirect') redirect('/target')
  if (intent === 'moved') redirect('/moved')
  if (intent === 'same') redirect('/form')
  if (intent === 'anchor') redirect('/form#end')
  if (intent === 'reply-redirect') return reply.redirect('/target', 303)
  if (intent === 'reply-elsewhere') return reply.redirect('http://localhost:' + url.port + '/target', 303)
  if (intent === 'reply-send') return reply.type('text/plain').send('its own')
  return { intent, text: form.get('text') }
}
`,
  'pages/guarded.tsx': 'export default () => <h1>Guarded</h1>\n',
  'pages/guarded.server.ts': "export const action = ({ app }) => app.done({ path: '/guarded' })\n",
  'pages/other.tsx': 'export default ({ actionData }) => <h1>Other {actionData?.text}</h1>\n',
  'pages/other.server.ts':
    "export const action = ({ app, form }) => { app.done({ path: '/other' }); return { text: form.get('text') } }\n",
  'pages/target.tsx': 'export default ({ url }) => <h1>Target {url.search}</h1>\n',
  'pages/moved.tsx': 'export default () => null\n',
  'pages/moved.server.ts': "import { redirect } from 'hydrant'\nexport const load = () => redirect('/target')\n",
  'pages/script.tsx': `
import { useState } from 'react'
import { useSubmission } from 'hydrant/react'
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
export default function Script() {
  const { data, error, submit, isPending } = useSubmission()
  const other = useSubmission('/other')
  const [log, setLog] = useState('')
  const send = (body, options) => submit(body, options).then((result) => setLog('resolved at ' + location.pathname + ' ' + JSON.stringify(result)), () => setLog('rejected'))
  return <>
    <h1>Script</h1>
    {METHODS.map((method) => <button key={method} id={method} onClick={() => send({ text: method }, { method })}>{method}</button>)}
    <button id="redirected" onClick={() => send(new URLSearchParams('intent=redirect'))}>redirected</button>
    <button id="refreshed" onClick={() => send({ intent: 'same' })}>refreshed</button>
    <button id="waiting" onClick={() => send({ intent: 'wait' })}>waiting</button>
    <button id="posted" onClick={() => other.submit({ text: 'x' })}>other</button><p id="other-data">{other.data?.text}</p>
    <button id="file" onClick={() => {
      const body = new FormData()
      body.append('text', 'a\\nb')
      body.append('file', new File(['content'], 'name.txt'))
      void send(body)
    }}>file</button>
    <p id="data">{JSON.stringify(data) ?? 'none'}</p><p id="own">{String(isPending)}</p><p id="log">{log}</p>
    {error && <p role="alert">{error.message}</p>}
  </>
}
`,
  'pages/script.server.ts': `
import { redirect } from 'hydrant'
export async function action({ app, form, request, url }) {
  const entries = []
  for (const [name, value] of form) entries.push([name, typeof value === 'string' ? value : value.name + ': ' + await value.text()])
  app.done({ path: url.pathname, method: request.method, entries })
  if (form.get('intent') === 'wait') await app.wait()
  if (form.get('intent') === 'redirect') redirect('/target')
  if (form.get('intent') === 'same') redirect('/script')
  return { method: request.method, text: form.get('text') }
}
`,
}

export interface Done {
  path: string
  method?: string
  entries?: [string, string][]
  type?: string
  body?: string
}

export interface InPlace {
  site: SiteServer
  dir: string
  origin: string
  /** Opens a page for a test and marks its document. The mark is lost with the document. */
  open(t: Owner, path: string, prepare?: (open: OpenPage) => Promise<unknown>): Promise<OpenPage>
  /** Opens a page in an open tab and marks its document. */
  reopen(open: OpenPage, path: string): Promise<void>
  /** Opens a tab without JavaScript. */
  openPlain(t: Owner): Promise<OpenPage>
  /** Returns what the actions have done since the last call. */
  done(): Promise<Done[]>
  /** Releases the action when it waits. */
  letGo(): Promise<unknown>
  /** Opens that gate when a load waits at it. */
  openGate(name: string): Promise<unknown>
}

/**
 * Builds and starts the site.
 *
 * @param more Further files of the site.
 * @param env Environment variables with its options.
 */
export async function startInPlace(
  t: Test,
  more: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<InPlace> {
  const dir = await buildForBrowser(join(t.testdir({}), 'site'), { ...FILES, ...more })
  const site = await startSite(t, { dir, env: { HYDRANT_TIMEOUTS_LOAD_MS: '10000', ...env } })
  // Firefox has pages of this site without Chromium.
  let launched: Promise<Chromium> | undefined
  const openPage = async (options: PageOptions, owner: Owner) => {
    launched ??= launchChromium(t)
    return (await launched).open(options, owner)
  }
  const origin = `http://127.0.0.1:${site.port}`
  let seen = 0
  async function reopen(open: OpenPage, path: string) {
    await open.goto(origin + path, 'load')
    await open.hydrated()
    await open.evaluate(() => {
      document.documentElement.dataset.mark = 'here'
    }, null)
  }
  return {
    site,
    dir,
    origin,
    async open(t, path, prepare) {
      const open = await openPage({}, t)
      await prepare?.(open)
      await reopen(open, path)
      return open
    },
    reopen,
    openPlain: (t) => openPage({ javaScript: false }, t),
    async done() {
      // The cast is safe because `server.ts` responds with its list.
      const all = (await fetch(`${origin}/done`).then((answer) => answer.json())) as Done[]
      const fresh = all.slice(seen)
      seen = all.length
      return fresh
    },
    letGo: () => until(async () => (await fetch(`${origin}/open`)).json()),
    openGate: (name) => until(async () => (await fetch(`${origin}/gates/${name}`)).json()),
  }
}

/** Whether the document is still the one that was opened. */
export function isInPlace({ evaluate }: OpenPage): Promise<boolean> {
  return evaluate(() => document.documentElement.dataset.mark === 'here', null)
}

export function textOf({ evaluate }: OpenPage, selector: string): Promise<string | null> {
  return evaluate((selector) => document.querySelector(selector)?.textContent ?? null, selector)
}
