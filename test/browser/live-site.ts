/// <reference lib="dom" />

// A site with live pages. It is served in this process, so that a test can publish, count, and hold loads and actions.

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { CreateServerOptions } from '../../src/server/create-server.ts'
import { EVENTS_TYPE, REFRESH_HEADER } from '../../src/shared/wire/navigation-protocol.ts'
import { buildForBrowser, type Files, serve } from '../server/served.ts'

const LAYOUT = `
import { href } from 'hydrant/react'
const PATHS = ['/', '/other', '/plain', '/mine', '/fixed', '/cached']
export default function Layout({ children }) {
  return (
    <html lang="en">
      <head><title>live</title></head>
      <body>
        <nav>{PATHS.map((to) => <a key={to} href={href(to)}>{to}</a>)}</nav>
        <main>{children}</main>
      </body>
    </html>
  )
}
`

/** Everything that a refresh must leave alone. */
const BOARD = `
import { startTransition, useOptimistic, useState } from 'react'
import { refresh, useSubmission } from 'hydrant/react'
import { SOUND } from '../sound.ts'

const rows = Array.from({ length: 100 }, (_, index) => <p key={index}>row {index}</p>)

export default function Board({ data: { texts } }) {
  const [count, setCount] = useState(0)
  const [kept, setKept] = useState('')
  return (
    <>
      <h1>Board: {texts.join(', ')}</h1>
      <Adder texts={texts} />
      <form method="post" data-hydrant-reload=""><button id="plain" name="text" value="plainly sent">Send</button></form>
      <form id="form" method="post"><input name="text" id="text" /><button id="send">Send</button></form>
      <button id="count" type="button" onClick={() => setCount(count + 1)}>{count}</button>
      <button id="refresh" type="button" onClick={() => void refresh()}>Refresh</button>
      <input id="free" name="free" defaultValue="" />
      <textarea id="area" name="area" />
      <input id="controlled" value={kept} onChange={({ target }) => setKept(target.value)} />
      <p id="kept">{kept}</p>
      <input id="box" name="box" type="checkbox" />
      <select id="choice" name="choice"><option>a</option><option>b</option></select>
      <p id="words">some words to select</p>
      <details><summary id="summary">more</summary>text</details>
      <dialog id="dialog">in the dialog {texts.length} <input id="inner" /></dialog>
      <audio id="audio" src={SOUND} loop muted />
      <div id="scroller" style={{ height: 100, overflow: 'auto' }}>{rows}</div>
      {rows}
    </>
  )
}

function Adder({ texts }) {
  const adding = useSubmission('/')
  const [shown, add] = useOptimistic(texts, (all, text) => [...all, text + '…'])
  const send = (text) =>
    startTransition(async () => {
      add(text)
      await adding.submit({ text })
    })
  return (
    <>
      <p id="shown">{shown.join(', ')}</p>
      <p id="pending">{adding.isPending ? 'pending' : 'idle'}</p>
      <button id="add" type="button" onClick={() => send('mine')}>Add</button>
    </>
  )
}
`

/** What the site and the test share. */
interface Board {
  texts: string[]
  loads: string[]
  /** Whether loads fail. */
  fails: boolean
  /** Whether a hook refuses open pages, as a limit of requests does. */
  refuses: boolean
  /** A policy in place of Hydrant's. */
  policy?: string
  /** What actions and loads wait for. */
  action: Promise<unknown>
  load: Promise<unknown>
}

const page = (title: string, more = '') =>
  `export default ({ data }) => <><h1>${title}: {data.join(', ')}</h1>${more}</>\n`

const load = (path: string) => `() => {
  globalThis.board?.loads.push('${path}')
  return globalThis.board?.texts ?? []
}
`

const PAGES: Files = {
  'sound.ts': `export const SOUND = '${createSound()}'\n`,
  'pages/layout.tsx': LAYOUT,
  'pages/index.tsx': BOARD,
  'pages/index.server.ts': `
export const live = () => ['board']
export const load = async () => {
  const { board } = globalThis
  board.loads.push('/')
  const texts = [...board.texts]
  await board.load
  if (board.fails) throw new Error('no board')
  return { texts }
}
export const action = async ({ app, form }) => {
  await globalThis.board.action
  globalThis.board.texts.push(String(form.get('text')))
  await app.live.publish('board')
}
`,
  'pages/other.tsx': page('Other'),
  'pages/other.server.ts': `export const live = () => ['other']\nexport const load = ${load('/other')}`,
  'pages/plain.tsx': page('Plain', '<form method="post"><input name="text" /></form>'),
  'pages/plain.server.ts': `export const load = ${load('/plain')}export const action = () => {}\n`,
  'pages/mine.tsx': page(
    'Mine',
    '<form method="post" action="/leave"><button id="leave">Leave</button></form><form method="post"><button id="switch">Switch</button></form>',
  ),
  'pages/mine.server.ts': `
import { redirect } from 'hydrant'
export const guard = ({ request }) => {
  if (!/user=/.test(request.headers.cookie ?? '')) redirect('/enter')
}
export const live = ({ request }) => ['mine', request.headers.cookie]
export const load = ${load('/mine')}export const action = ({ reply }) => {
  reply.header('set-cookie', 'user=bob; Path=/')
  redirect('/mine')
}
`,
  'pages/enter.tsx':
    'export default () => <><h1>Enter</h1><form method="post"><button id="enter">Enter</button></form></>\n',
  'pages/enter.server.ts': `
import { redirect } from 'hydrant'
export const action = ({ reply }) => {
  reply.header('set-cookie', 'user=ada; Path=/')
  redirect('/mine')
}
`,
  'pages/leave.server.ts': `
import { redirect } from 'hydrant'
export const action = ({ reply }) => {
  reply.header('set-cookie', 'user=; Path=/; Max-Age=0')
  redirect('/enter')
}
`,
  'pages/leave.tsx': 'export default () => null\n',
  'pages/cached.tsx': page('Cached'),
  'pages/cached.server.ts': `
export const cache = { maxAgeS: 600, tags: () => ['board'] }
export const live = () => ['board']
export const load = ${load('/cached')}`,
  'server.ts': `export default async function server(app) {
  app.addHook('onRequest', async ({ headers }, reply) => {
    const { refuses, policy } = globalThis.board ?? {}
    if (policy) reply.header('content-security-policy', policy)
    if (refuses && headers['hydrant-build']) await reply.code(429).send('Slow down')
  })
}
`,
  'public/sw.js': `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => event.respondWith(fetch(event.request)))
`,
}

/** Builds the site in a folder. `files` replace its own, for example for another build. */
export const buildLiveSite = (dir: string, files: Files = {}): Promise<string> =>
  buildForBrowser(dir, { ...PAGES, ...files })

export interface LiveSite {
  app: FastifyInstance
  origin: string
  board: Board
  /** The paths of the streams that are open. */
  streams(): string[]
  /** How many streams were opened since the start. */
  opened(): number
  /** The paths that were asked for by refreshes since the start. */
  refreshes: string[]
  /** Adds a text to the board and tells so. */
  add(text: string): Promise<void>
}

/** Serves the site, on a port of its own or on that of one which has stopped. */
export async function serveLiveSite(
  t: Pick<Test, 'teardown'>,
  dir: string,
  { port = 0, ...options }: Partial<CreateServerOptions> & { port?: number } = {},
): Promise<LiveSite> {
  const board: Board = {
    texts: ['first'],
    loads: [],
    fails: false,
    refuses: false,
    action: Promise.resolve(),
    load: Promise.resolve(),
  }
  Object.assign(globalThis, { board })
  const { app } = await serve(t, dir, options)
  const open = new Set<{ url: string }>()
  const refreshes: string[] = []
  let opened = 0
  app.server.on('request', ({ url = '', headers }, response) => {
    const path = url.replace(/[?&]_hydrant$/, '')
    if (headers[REFRESH_HEADER]) refreshes.push(path)
    if (headers.accept !== EVENTS_TYPE) return
    const stream = { url: path }
    open.add(stream)
    opened++
    response.on('close', () => open.delete(stream))
  })
  const origin = await app.listen({ port, host: '127.0.0.1' })
  return {
    app,
    origin,
    board,
    streams: () => [...open].map(({ url }) => url),
    opened: () => opened,
    refreshes,
    async add(text) {
      board.texts.push(text)
      await app.live.publish('board')
    },
  }
}

/** Returns a promise and the function that resolves it. */
export function createHold() {
  let release!: () => void
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  return { held, release }
}

/** Returns one second of silence as a WAV file: 8,000 samples of 8 bits. */
function createSound(): string {
  const samples = 8_000
  const file = Buffer.alloc(44 + samples, 128)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + samples, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(8_000, 24)
  file.writeUInt32LE(8_000, 28)
  file.writeUInt16LE(1, 32)
  file.writeUInt16LE(8, 34)
  file.write('data', 36)
  file.writeUInt32LE(samples, 40)
  return `data:audio/wav;base64,${file.toString('base64')}`
}

/** Runs in the board: a choice, two scroll positions, and the focus with a selection. */
export function touchBoard() {
  const choice = document.querySelector('select')
  if (choice) choice.value = 'b'
  choice?.dispatchEvent(new Event('change', { bubbles: true }))
  document.querySelector('#scroller')?.scrollTo(0, 300)
  document.querySelector<HTMLInputElement>('#controlled')?.focus({ preventScroll: true })
  document.querySelector<HTMLInputElement>('#controlled')?.setSelectionRange(2, 5, 'backward')
  scrollTo({ top: 700, behavior: 'instant' })
}

/** Runs in the board. Returns what a refresh must leave alone. */
export function lookAtBoard() {
  const find = <Kind extends Element>(selector: string) => document.querySelector(selector) as Kind
  const controlled = find<HTMLInputElement>('#controlled')
  const audio = find<HTMLAudioElement>('audio')
  return {
    mark: document.documentElement.dataset.mark,
    focus: document.activeElement?.id,
    selection: [controlled.selectionStart, controlled.selectionEnd, controlled.selectionDirection],
    scroll: [scrollY, find('#scroller').scrollTop],
    texts: ['#free', '#area', '#controlled'].map((selector) => find<HTMLInputElement>(selector).value),
    kept: find('#kept').textContent,
    box: find<HTMLInputElement>('#box').checked,
    choice: find<HTMLSelectElement>('#choice').value,
    details: find<HTMLDetailsElement>('details').open,
    plays: !audio.paused && audio.currentTime > 0,
    count: find('#count').textContent,
  }
}
