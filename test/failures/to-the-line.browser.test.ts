// Failures in each position of a minified site. Each is looked up by its digest in the command, the console and the
// API.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { launchChromium } from '../browser/chromium.ts'
import { copyApp } from '../build-app.ts'
import { DIGEST_PATTERN } from '../digest-pattern.ts'
import { startPostgres } from '../postgres.ts'
import { runHere } from '../scripts/run-here.ts'
import { buildSharing } from '../shared-compression.ts'
import { type SiteServer, startSite } from '../site-server.ts'

const HTML = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36' }

interface Expected {
  message: string
  side: 'server' | 'client'
  file: string
  line: number
  code: string
}

const SOURCES = 'test/apps/failures'

/** The position of each failure, as marked in the source. */
const EXPECTED = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).flatMap(listFailures)
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
    const command = await runHere(['errors', digest.toLowerCase(), dir, '--json'], { HYDRANT_LEDGER: ledger })
    t.equal(command.code, 0, command.stderr)
    checkJson(t, JSON.parse(command.stdout), digest, expected)
    const answer = await fetch(`${admin}/api/failures/${digest}`)
    checkJson(t, await answer.json(), digest, expected)
    const printed = await runHere(['errors', digest, dir], { HYDRANT_LEDGER: ledger })
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
    const { stdout } = await runHere(['errors', two, String(dirs[0]), '--json'], env)
    failure = stdout === '' ? null : JSON.parse(stdout)
  }
  t.strictSame(
    failure.occurrences.map(({ digest }) => digest),
    [two, one],
    'the one that was asked for comes first',
  )
  t.match(failure.source, { file: 'parts/find.ts', line: 4 })
})

/** Lists the lines of a file that are marked with a message. */
function listFailures(file: string): Expected[] {
  if (file.startsWith('.hydrant') || !/\.tsx?$/.test(file)) return []
  const lines = readFileSync(join(SOURCES, file), 'utf8').split('\n')
  return lines.flatMap((code, index) => {
    const message = / \/\/ fails: (.+)$/.exec(code)?.[1]
    if (message === undefined) return []
    return [{ message, side: message.startsWith('browser') ? 'client' : 'server', file, line: index + 1, code }]
  })
}

async function buildSite(t: Test, dir: string): Promise<string> {
  copyApp({ testdir: () => dir }, 'failures')
  await buildSharing({ dir })
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
