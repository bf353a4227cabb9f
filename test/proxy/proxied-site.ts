// One build for every place behind a proxy.

import { join } from 'node:path'
import type { Test } from 'tap'
import { buildForBrowser } from '../server/served.ts'

// Too long to be inlined as a data: URL.
const picture = (name: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><title>${`${name} `.repeat(4_000)}</title></svg>\n`

const FILES = {
  'pages/layout.tsx': `
import { href } from 'hydrant/react'
import './layout.css'
export default function Layout({ children }) {
  return (
    <html lang="en">
      <head><title>proxied</title></head>
      <body><a id="lazy" href={href('/lazy')}>lazy</a> <a id="notes" href={href('/notes')}>notes</a><main>{children}</main></body>
    </html>
  )
}
`,
  'pages/layout.css': 'body { background: url(../paper.svg) }\n',
  'paper.svg': picture('paper'),
  'mark.svg': picture('mark'),
  'public/robots.txt': 'User-agent: *\n',
  'pages/index.tsx': `
import mark from '../mark.svg'
export default function Page({ url }) {
  return <><p id="url">{url.href}</p><img src={mark} alt="a mark" /></>
}
`,
  'pages/lazy.tsx': `
import { lazy, Suspense } from 'react'
import { href } from 'hydrant/react'
const Later = lazy(() => import('../components/later'))
export default () => <Suspense><Later /><a id="robots" href={href('/robots.txt')}>robots</a></Suspense>
`,
  'components/later.tsx': 'export default () => <p id="later">Later</p>\n',
  'pages/echo/[id].tsx': 'export default ({ params }) => <p>{params.id}</p>\n',
  'pages/echo/[id].server.ts': 'export const load = ({ params }) => params\n',
  'pages/fails.tsx': 'export default () => null\n',
  'pages/fails.server.ts': "export const load = () => {\n  throw new Error('it fails')\n}\n",
  'pages/moved.tsx': 'export default () => null\n',
  'pages/moved.server.ts':
    "import { redirect } from 'hydrant'\nexport const load = () => redirect('/echo/moved?a=1')\n",
  'pages/notes.tsx': `
export default function Notes({ data }) {
  return (
    <form method="post">
      <input name="text" />
      <p id="said">{data.count}</p>
      <button id="send" type="submit">Send</button>
    </form>
  )
}
`,
  'pages/notes.server.ts': `
import { redirect } from 'hydrant'
let count = 0
export const load = () => ({ count })
export function action() {
  count++
  redirect('/notes')
}
`,
  'pages/streams.tsx': `
import { Suspense, use } from 'react'
export default function Page({ data }) {
  return <><h1>The shell</h1><Suspense fallback={<p>Waiting</p>}><Slow part={data.part} /></Suspense></>
}
function Slow({ part }) {
  return <p id="slow">{use(part)}</p>
}
`,
  // The slow part waits until another request releases it. A proxy that holds back the shell therefore blocks it
  // forever.
  'pages/streams.server.ts': `
export function load({ app, url }) {
  return { part: app.gate(url.searchParams.get('gate')).promise.then(() => 'The slow part') }
}
`,
  'pages/live.tsx': 'export default () => null\n',
  'pages/live.server.ts': "export const live = () => ['proxied']\n",
  'server.ts': `
import { createHash } from 'node:crypto'
const accept = (key) => createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64')
export default async function server(app) {
  // The part of a WebSocket that a proxy sees.
  app.server.on('upgrade', ({ url, headers }, socket) => {
    socket.write(['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Accept: ' + accept(headers['sec-websocket-key']), '', ''].join('\\r\\n'))
    socket.end(url + ' ' + headers.host)
  })
  const gates = new Map()
  app.decorate('gate', (name) => {
    if (!gates.has(name)) {
      let open
      const promise = new Promise((resolve) => { open = resolve })
      gates.set(name, { promise, open })
    }
    return gates.get(name)
  })
  app.get('/release/:gate', async (request) => {
    app.gate(request.params.gate).open()
    return 'released'
  })
  let listeners = 0
  app.addHook('onRequest', async ({ headers, raw }, reply) => {
    if (headers.accept !== 'text/event-stream') return
    listeners++
    reply.raw.on('close', () => listeners--)
  })
  app.get('/listeners', async () => listeners)
  app.get('/publish', async () => app.live.publish('proxied'))
  app.get('/who', async ({ ip, host, protocol, headers }) => ({ ip, host, protocol, forwarded: headers.forwarded }))
}
`,
}

/** Writes and builds the site. Returns its folder. */
export async function buildProxiedSite(t: Pick<Test, 'testdir' | 'teardown'>): Promise<string> {
  return buildForBrowser(join(t.testdir({}), 'site'), FILES)
}
