// Failures in each position of a minified site. Each is looked up by its digest in the command, the console and the
// API.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { launchChromium } from '../browser/chromium.ts'
import { DIGEST_PATTERN } from '../digest-pattern.ts'
import { startPostgres } from '../postgres.ts'
import { runCli } from '../scripts/run-cli.ts'
import { buildForBrowser } from '../server/served.ts'
import { type SiteServer, startSite } from '../site-server.ts'

const HTML = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36' }

const FILES = {
  'server.ts': `export default async function server(app) {
  app.get('/route', async () => {
    throw new Error('route') // fails: route
  })
  app.get('/process', async () => {
    setTimeout(() => {
      throw new Error('process') // fails: process
    })
    return 'soon'
  })
  app.get('/worker', async () => {
    process.nextTick(() => {
      throw new Error('worker') // fails: worker
    })
    return 'soon'
  })
}
`,
  'pages/load.tsx': 'export default function Page() {\n  return <p>page</p>\n}\n',
  'pages/load.server.ts': `import { find } from '../parts/find.ts'
export function load() {
  return find('load')
}
`,
  'parts/find.ts': `export function find(name: string) {
  // Two lines of comment,
  // which a minifier takes away.
  throw new Error(name) // fails: load
}
`,
  'pages/render.tsx': `export default function Page() {
  return <main><Price /></main>
}
function Price(): never {
  throw new Error('render') // fails: render
}
`,
  'pages/stream.tsx': `import { Suspense, use } from 'react'
export default function Page({ data }) {
  return <Suspense fallback={<p>waits</p>}><Late late={data.late} /></Suspense>
}
function Late({ late }) {
  use(late)
  throw new Error('stream') // fails: stream
}
`,
  'pages/stream.server.ts': 'export const load = () => ({ late: new Promise((resolve) => setTimeout(resolve, 50)) })\n',
  'pages/action.tsx':
    'export default function Page() {\n  return <form method="post"><button>Send</button></form>\n}\n',
  'pages/action.server.ts': `export async function action({ form }) {
  await form
  throw new Error('action') // fails: action
}
`,
  'pages/browser.tsx': `import { useState } from 'react'
export default function Page() {
  const [part, setPart] = useState('')
  return <main>
    <button id="render" onClick={() => setPart('render')}>render</button>
    <button id="event" onClick={onPress}>event</button>
    <button id="rejection" onClick={() => void reject()}>rejection</button>
    {part === 'render' && <Broken />}
  </main>
}
function Broken(): never {
  throw new Error('browser render') // fails: browser render
}
function onPress() {
  throw new Error('browser event') // fails: browser event
}
async function reject() {
  await null
  throw new Error('browser rejection') // fails: browser rejection
}
`,
}

interface Expected {
  message: string
  side: 'server' | 'client'
  file: string
  line: number
  code: string
}

/** The position of each failure, as marked in the source. */
const EXPECTED: readonly Expected[] = Object.entries(FILES).flatMap(([file, source]) =>
  source.split('\n').flatMap((code, index) => {
    const message = / \/\/ fails: (.+)$/.exec(code)?.[1]
    if (message === undefined) return []
    return [
      { message, side: message.startsWith('browser') ? 'client' : 'server', file, line: index + 1, code } as const,
    ]
  }),
)

const browserMessages = EXPECTED.filter(({ side }) => side === 'client').map(({ message }) => message)

/** The output of `hydrant errors --json` for one failure, and the response of the API. */
interface FailureJson {
  fingerprint: string
  side: string
  message: string
  count: number
  source: { file: string; line: number; code: { firstLine: number; lines: string[] } }
  occurrences: { digest: string; requestId: string }[]
}

const chromium = await launchChromium(t, 'browser')

t.test('a digest leads to the line, wherever it failed', async (t) => {
  const dir = await buildSite(t, join(t.testdir({}), 'site'))
  const ledger = join(dir, 'errors.db')
  const failing = await startSite(t, { dir, env: { HYDRANT_LEDGER: ledger, HYDRANT_ADMIN: 'false' } })
  await failEverywhere(t, failing)
  const digests = new Map<string, string>()
  const alone = EXPECTED.filter(({ message }) => message !== 'worker')
  for (const { message } of alone) digests.set(message, await digestOf(failing, message))
  await failing.ended
  const workers = await startSite(t, {
    dir,
    env: { HYDRANT_LEDGER: ledger, HYDRANT_ADMIN: 'false', HYDRANT_WORKERS: '2' },
  })
  void fetch(`http://127.0.0.1:${workers.port}/worker`).catch(() => {})
  digests.set('worker', await digestOf(workers, 'worker'))
  await workers.stop()
  const server = await startSite(t, { dir, env: { HYDRANT_LEDGER: ledger, HYDRANT_ADMIN: '0' } })
  const { msg } = await server.waitForLine((line) => line.msg.startsWith('the console is at'))
  const admin = String(/http:\S+/.exec(msg)?.[0])
  const browser = await chromium.open()
  for (const expected of EXPECTED) {
    const digest = String(digests.get(expected.message))
    t.match(digest, DIGEST_PATTERN, expected.message)
    const command = await runCli(['errors', digest.toLowerCase(), dir, '--json'], { env: { HYDRANT_LEDGER: ledger } })
    t.equal(command.code, 0, command.stderr)
    checkJson(t, JSON.parse(command.stdout), digest, expected)
    const answer = await fetch(`${admin}/api/failures/${digest}`)
    checkJson(t, await answer.json(), digest, expected)
    const printed = await runCli(['errors', digest, dir], { env: { HYDRANT_LEDGER: ledger } })
    t.match(printed.stdout, `${expected.file}:${expected.line}:`)
    const marked = printed.stdout.split('\n').find((line) => line.trimStart().startsWith('> '))
    t.equal(marked?.trim().replace(/^> +/, ''), `${expected.line} | ${expected.code}`)
    await browser.goto(`${admin}/failures/${digest}`, 'load')
    const text = await browser.read('main')
    for (const part of [expected.message, `${expected.file}:${expected.line}:`, expected.code.trim(), digest])
      t.match(text, part)
    t.strictSame(browser.errors, [])
  }
})

t.test('replicas that share a ledger have the same fingerprint, and each has its own requests', async (t) => {
  const { createDatabase } = startPostgres(t)
  const url = createDatabase('shared')
  const env = { HYDRANT_LEDGER: url, HYDRANT_ADMIN: 'false' }
  // One site's code in two folders, as on two machines.
  const folder = t.testdir({})
  const dirs = [await buildSite(t, join(folder, 'one')), await buildSite(t, join(folder, 'two'))]
  const digests: string[] = []
  for (const dir of dirs) {
    const replica = await startSite(t, { dir, env })
    const answer = await fetch(`http://127.0.0.1:${replica.port}/load`, { headers: HTML })
    digests.push(String(answer.headers.get('x-error-digest')))
  }
  const [one = '', two = ''] = digests
  t.equal(one.slice(0, 8), two.slice(0, 8))
  t.not(one, two)
  let failure: FailureJson | null = null
  // They are written after the responses.
  while (failure?.count !== 2) {
    const { stdout } = await runCli(['errors', two, String(dirs[0]), '--json'], { env })
    failure = stdout === '' ? null : JSON.parse(stdout)
  }
  t.strictSame(
    failure.occurrences.map(({ digest }) => digest),
    [two, one],
    'the one that was asked for comes first',
  )
  t.match(failure.source, { file: 'parts/find.ts', line: 4 })
})

async function buildSite(t: Test, dir: string): Promise<string> {
  await buildForBrowser(dir, FILES)
  const client = readFileSync(join(dir, '.hydrant/manifest.json'), 'utf8')
  t.match(client, '"mode": "production"')
  return dir
}

async function failEverywhere(t: Test, { port }: SiteServer) {
  const origin = `http://127.0.0.1:${port}`
  const get = (path: string) => fetch(origin + path, { headers: HTML }).then((answer) => answer.text())
  for (const path of ['/load', '/render', '/stream', '/route']) await get(path)
  const form = { method: 'POST', body: new URLSearchParams({ a: 'b' }), headers: { ...HTML, origin } }
  await fetch(`${origin}/action`, form).then((answer) => answer.text())
  const { page, goto, hydrated, click } = await chromium.open()
  for (const message of browserMessages) {
    await goto(`${origin}/browser`, 'load')
    await hydrated()
    const reported = page.waitForResponse((response) => new URL(response.url()).pathname === '/_hydrant/report')
    await click(`#${message.replace('browser ', '')}`)
    t.equal((await reported).status(), 204, message)
  }
  await get('/process')
}

async function digestOf({ waitForLine }: SiteServer, message: string): Promise<string> {
  const { digest } = await waitForLine(({ err }) => err?.message === message)
  return String(digest)
}

function checkJson(t: Test, failure: FailureJson, digest: string, { message, side, file, line, code }: Expected) {
  t.match(failure, { fingerprint: digest.slice(0, 8), side, message, count: 1, source: { file, line } }, message)
  const { firstLine, lines } = failure.source.code
  t.equal(lines[line - firstLine], code)
  t.equal(failure.occurrences[0]?.digest, digest)
}
