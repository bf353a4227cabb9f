/// <reference lib="dom" />

// A small site for navigation tests, served in this process, so that a test can block its loads.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { CreateServerOptions } from '../../src/server/create-server.ts'
import { GATES, gatesOfLast, listen, load, waitAt } from '../server/lines.ts'
import { buildForBrowser, type Files, type Served, serve } from '../server/served.ts'
import { until } from '../until.ts'
import { type Chromium, launchChromium, type OpenPage, type Owner, type PageOptions } from './chromium.ts'

const page = (title: string, body: string, imports = '') =>
  `import { Suspense, use, useState } from 'react'\nimport { FailureBoundary } from 'hydrant/react'\nvoid [Suspense, use, useState, FailureBoundary]\n${imports}
function Counter() {
  const [count, setCount] = useState(0)
  return <button id="count" type="button" onClick={() => setCount(count + 1)}>{count}</button>
}
function Later({ promise }) { return <b id="later">{use(promise)}</b> }
export default function Page({ data, url }) {
  void [data, Later]
  return (
    <>
      <title>${title}</title>
      <meta name="description" content="All about ${title}" />
      <h1>${title}</h1>
      <p id="query">{url.search}</p>
      <Counter />
      ${body}
    </>
  )
}
`

const throwing = "export default function Throwing() {\n  throw new Error('SECRET-MARKER')\n}\n"

const moving = (title: string, body: string) =>
  `import { ViewTransition } from 'react'\nexport default function Page() {\n  return <ViewTransition><div><h1>${title}</h1>${body}</div></ViewTransition>\n}\n`

const LINKS = [
  '/about',
  '/about?q=1',
  '/#bottom',
  '/slow',
  '/fails',
  '/missing',
  '/nowhere',
  '/redirects',
  '/outside',
  '/loop',
  '/later',
  '/breaks',
  '/styled',
  '/robots.txt',
  '/api',
  '/export',
  '/late-layout/one',
  '/cookie',
  '/throws',
  '/throws-around',
  '/own-error',
  '/users/1',
  '/users/2',
  '/users/2/posts',
]

const site: Files = {
  'pages/layout.tsx': `import { useState } from 'react'
import { useNavigation } from 'hydrant/react'
export default function Layout({ children }) {
  const [count, setCount] = useState(0)
  const { state, url } = useNavigation()
  return (
    <html lang="en">
      <head><meta name="viewport" content="width=device-width" /></head>
      <body>
        <nav>
          <a href="/">home</a>
          ${LINKS.map((href) => `<a href="${href}">${href}</a>`).join('\n          ')}
          <a href="/about" target="_blank" id="blank">blank</a>
          <a href="/about" download id="download">download</a>
          <a href="/about" data-hydrant-reload id="reload"><span>reload</span></a>
          <a href="/about" data-hydrant-prefetch="off" id="no-prefetch">quiet</a>
          <form method="post" action="/posted"><input name="text" defaultValue="typed" /><button>Post</button></form>
          <form method="post" action="/guarded"><button>Guarded</button></form>
          <form action="/about"><input name="q" defaultValue="typed" /><button>Search</button></form>
        </nav>
        <input id="typed" />
        <button id="layout-count" type="button" onClick={() => setCount(count + 1)}>{count}</button>
        <output id="state">{state}{url ? ' ' + url.pathname : ''}</output>
        <main>{children}</main>
      </body>
    </html>
  )
}
`,
  'pages/index.tsx': page('Home', '<div style={{ height: 3000 }} /><p id="bottom">bottom</p>'),
  'pages/about.tsx': page('About', '<div style={{ height: 3000 }} />'),
  'pages/slow.tsx': page('Slow', '<p id="data">{data}</p>'),
  'pages/slow.server.ts': load(waitAt('slow', "'at last'")),
  'pages/fails.tsx': page('Never', ''),
  'pages/fails.server.ts': load("  throw new Error('SECRET-MARKER')"),
  'pages/missing.tsx': page('Never', ''),
  'pages/missing.server.ts': load('  notFound()'),
  'pages/not-found.tsx':
    'export default function NotFound() {\n  return <><title>Nothing</title><h1>Nothing here</h1></>\n}\n',
  'pages/redirects.tsx': page('Never', ''),
  'pages/redirects.server.ts': load("  redirect('/about?from=redirect')"),
  'pages/outside.tsx': page('Never', ''),
  'pages/outside.server.ts': load(
    "  redirect(new URL('http://localhost:' + ctx.request.headers.host.split(':')[1] + '/about'))",
  ),
  'pages/loop.tsx': page('Never', ''),
  'pages/loop.server.ts': load("  ctx.app.count('loop')\n  redirect('/loop')"),
  'pages/later.tsx': page(
    'Later',
    '<FailureBoundary><Suspense fallback={<i id="wait">wait</i>}><Later promise={data.later} /></Suspense></FailureBoundary>',
  ),
  'pages/later.server.ts': load(
    "  const gate = ctx.app.gate('later' + ctx.url.search)\n  ctx.signal.addEventListener('abort', () => gate.leave(ctx.signal.reason))\n  return { later: gate.opened }",
  ),
  'pages/tall.tsx': page(
    'Tall',
    '<Suspense fallback={<i id="wait">wait</i>}><div style={{ height: 4_000 }}><Later promise={data.later} /></div><p id="below" style={{ height: 2_000 }} /></Suspense>',
  ),
  // Each visit has a gate of its own.
  'pages/tall.server.ts': load(
    "  ctx.app.count('tall')\n  return { later: ctx.app.gate('tall' + hydrantGated.counts.tall).opened }",
  ),
  'pages/late-layout/layout.tsx':
    'import { Suspense, use } from \'react\'\nfunction Later({ promise }) { return <b id="of-layout">{use(promise)}</b> }\nexport default function Layout({ children, data }) {\n  return <div><a href="/late-layout/two">two</a><Suspense fallback={<i>wait</i>}><Later promise={data.later} /></Suspense>{children}</div>\n}\n',
  'pages/late-layout/layout.server.ts': load("  return { later: ctx.app.gate('late-layout').opened }"),
  'pages/late-layout/one.tsx': page('One', ''),
  'pages/late-layout/two.tsx': page('Two', ''),
  'pages/breaks.tsx': page(
    'Breaks',
    '<Breaking />',
    'function Breaking() {\n  const [isBroken, setBroken] = useState(false)\n  if (isBroken) throw new Error("SECRET-MARKER")\n  return <button id="break" type="button" onClick={() => setBroken(true)}>break</button>\n}\n',
  ),
  'pages/guarded.tsx': page('Guarded', ''),
  'pages/styled.tsx': page('Styled', '<p id="styled">styled</p>', "import './styled.css'"),
  'pages/styled.css': '#styled { color: rgb(1, 2, 3) }\n',
  'pages/cookie.tsx': page('Cookie', ''),
  'pages/cookie.server.ts': load(
    "  await new Promise((resolve) => setImmediate(resolve))\n  ctx.reply.header('set-cookie', 'late=1')",
  ),
  'pages/users/[id]/layout.tsx': `import { useState } from 'react'
export default function Layout({ children, data }) {
  const [count, setCount] = useState(0)
  return <section><button id="user-count" type="button" onClick={() => setCount(count + 1)}>{data + ': ' + count}</button>{children}</section>
}
`,
  'pages/users/[id]/layout.server.ts': load("  ctx.app.count('user ' + ctx.params.id)\n  return ctx.params.id"),
  'pages/users/[id]/index.tsx': page('User', ''),
  'pages/users/[id]/posts.tsx': page('Posts', ''),
  'pages/throws.tsx': throwing,
  'pages/throws-around/layout.tsx': throwing,
  'pages/throws-around/index.tsx': page('Never', ''),
  'pages/own-error/error.tsx': throwing,
  'pages/own-error/index.tsx': page('Never', ''),
  'pages/own-error/index.server.ts': load("  throw new Error('SECRET-MARKER of the load')"),
  'pages/moving/one.tsx': moving('Moving', '<a href="/moving/two">two</a>'),
  'pages/moving/two.tsx': moving('Moved', ''),
  'public/robots.txt': 'User-agent: *\n',
  'server.ts': `export default async function server(app) {
  ${GATES}
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) => done(null, body))
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/guarded' && request.method === 'POST') { app.count('guarded'); return reply.redirect('/about') }
  })
  app.post('/posted', async (request, reply) => { app.count('posted'); return reply.type('text/html').send('<!DOCTYPE html><h1>Posted</h1>' + request.body) })
  app.get('/api', async (request, reply) => { app.count('api'); return reply.type('text/html').send('<!DOCTYPE html><title>Api</title><h1>Api</h1>') })
  app.get('/export', async (request, reply) => reply.header('content-disposition', 'attachment; filename="export.csv"').send('a,b'))
}
`,
}

export interface Visitor extends OpenPage {
  /** Paths of the documents that have been requested since `start`. */
  documents: string[]
  /** Paths of the pages whose data has been requested, once per request. */
  asked: string[]
  /** Loads a document and resets the counts. Resolves when links are taken over. */
  start(path: string): Promise<void>
  /** Clicks the link to a page, or the first element that matches a selector. */
  click(target: string, options?: { clickCount?: number }): Promise<void>
  /** Resolves when that page is shown. */
  stands(title: string): Promise<void>
}

export interface SmallSite {
  dir: string
  origin: string
  served: Served
  chromium: Chromium
  gates: ReturnType<typeof gatesOfLast>
  visit(t: Owner, options?: PageOptions & { init?: () => void }): Promise<Visitor>
}

let built: Promise<string> | undefined

/** Copies the site of this file, which is built once for all tests of the process. */
async function copySite(t: Test): Promise<string> {
  const dir = t.testdir({})
  built ??= buildForBrowser(join(dir, 'built'), site)
  cpSync(await built, join(dir, 'site'), { recursive: true })
  return join(dir, 'site')
}

/** Serves the site of this file, or another one that is built. */
export async function serveSmallSite(
  t: Test,
  options: Partial<CreateServerOptions> = {},
  other?: string,
): Promise<SmallSite> {
  const dir = other ?? (await copySite(t))
  const served = await serve(t, dir, options)
  const origin = await listen(t, served.app)
  const chromium = await launchChromium(t)
  return {
    dir,
    origin,
    served,
    chromium,
    gates: gatesOfLast(),
    async visit(t, { init, ...options } = {}) {
      const open = await chromium.open(options, t)
      if (init) await open.page.addInitScript(init)
      return createVisitor(open, origin)
    },
  }
}

function createVisitor(open: OpenPage, origin: string): Visitor {
  const { page } = open
  const documents: string[] = []
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.resourceType() === 'document') documents.push(pathname + search)
    const [own, mark] = search.split(/[?&](?=_hydrant$)/)
    if (mark !== undefined) asked.push(pathname + own)
  })
  return {
    ...open,
    documents,
    asked,
    async start(path) {
      await open.goto(origin + path, 'load')
      await takesNavigations(open)
      documents.length = 0
      asked.length = 0
    },
    click: (target, options) => open.click(target.startsWith('/') ? `nav a[href="${target}"]` : target, options),
    stands: (title) => open.hasText('h1', new RegExp(`^${title}$`)),
  }
}

/**
 * Resolves when the client has taken over the browser's navigations and has loaded the navigator, which it does when
 * a link is pointed at.
 */
export async function takesNavigations(page: Pick<OpenPage, 'evaluate'>) {
  await until(() =>
    page.evaluate(() => {
      const link = document.createElement('a')
      document.body.append(link)
      link.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
      link.remove()
      return document.querySelector('.hydrant-announcer') !== null
    }, null),
  )
}
