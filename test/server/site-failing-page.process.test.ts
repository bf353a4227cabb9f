// The first page of the project's site shows what has really happened: the response, the log line and the place.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { startSite } from '../site-server.ts'

interface Failed {
  status: number
  sentence: string
  digest: string
  line: string
  place: string
  marked: string
}

const run = promisify(execFile)

// Each worker gets what its own requests cause. The base is a part of each address.
const site = await startSite(t, { env: { HYDRANT_WORKERS: '2', HYDRANT_BASE: '/hydrant' } })
const origin = `http://127.0.0.1:${site.port}/hydrant`

const press = (accept: string, init: RequestInit = {}) =>
  fetch(origin, { method: 'POST', ...init, headers: { accept, ...init.headers } })

// The shape follows the action of the page.
const pressed = press('application/json').then((answer) => answer.json() as Promise<Failed>)

t.test('before the press, it shows the two files of the page that fails', async (t) => {
  const { sources } = await (await fetch(origin, { headers: { accept: 'application/json' } })).json()
  const files = ['pages/products/[id].server.ts', 'pages/products/[id].tsx']
  t.strictSame(
    sources,
    files.map((file) => ({ file, text: readFileSync(`site/${file}`, 'utf8') })),
  )
  t.equal((await fetch(`${origin}/products/7`)).status, 200)
  t.equal((await fetch(`${origin}/products/8`)).status, 500)
})

t.test('it shows the response and the line of the log', async (t) => {
  const { status, sentence, digest, line } = await pressed
  t.equal(status, 500)
  t.match(sentence, 'Application error: a server-side exception has occurred while loading 127.0.0.1')
  const logged = await site.waitForLine((one) => one.digest === digest)
  const { time, pid, hostname, ...shown } = logged as typeof logged & { time: number; hostname: string }
  t.strictSame(JSON.parse(line), shown)
  t.ok(time && pid && hostname)
})

t.test('a document shows the same, and no other site may press', async (t) => {
  const html = await (await press('text/html')).text()
  const [digest = ''] = /[\dA-Z]{8}-[\dA-Z]{6}/.exec(html) ?? []
  t.equal((await site.waitForLine((one) => one.digest === digest)).route, '/products/[id]')
  t.equal((await press('text/html', { headers: { 'sec-fetch-site': 'cross-site' } })).status, 403)
})

t.test('too many presses in a second are refused, and cause no failure', async (t) => {
  const before = site.lines.filter(({ digest }) => digest !== undefined).length
  const answers = await Promise.all(Array.from({ length: 150 }, () => press('application/json')))
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200, 429]))
  const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Partial<Failed>[]
  const digests = bodies.flatMap(({ digest }) => digest ?? [])
  for (const digest of digests) await site.waitForLine((one) => one.digest === digest)
  t.equal(site.lines.filter(({ digest }) => digest !== undefined).length, before + digests.length)
})

t.test('it shows what hydrant errors prints', async (t) => {
  // Writes what the ledger does not have yet.
  await site.stop()
  const { digest, place, marked } = await pressed
  const command = ['dist/scripts/cli.js', 'errors', digest, 'site']
  const { stdout } = await run(process.execPath, command, { env: { ...process.env, HYDRANT_LEDGER: site.ledger } })
  const [title = '', , ...lines] = place.split('\n')
  t.ok(stdout.startsWith(`${title}\n`), stdout)
  t.ok(stdout.includes(`\n${lines.join('\n')}\n`), stdout)
  t.ok(lines.includes(marked))
  t.match(marked, /^ {2}> 7 \|.*product\.stock\.count/)
})
