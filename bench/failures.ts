// Measures the cost of failures: `npm run bench:failures`. Takes about a quarter of an hour and needs `taskset` (Debian
// package util-linux).
//
// It compares a page that fails with the same page that works, does the same on a handwritten server, and measures
// working pages during a storm of failures. The server runs on one core and the client on another. The compared pages
// take turns of a quarter of a second, and each turn is compared with its neighbours, so a slow phase of the machine
// affects both. The requests are those of a browser that does not accept compression. The smallest page is also
// requested with compression, as browsers do, and with the fewest headers that HTTP allows.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Asker } from './asker.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SITE = join(ROOT, 'bench/failing-site')
const CLI = join(ROOT, 'dist/scripts/cli.js')
const BY_HAND = join(ROOT, 'dist/bench/failing-by-hand.js')
const CONNECTIONS = 50
const TURN_MS = 250
const BEFORE_TURN_MS = 100
const WARM_UP_MS = 4_000
const TURNS = 60
const EQUAL = 100_000
const DIFFERENT = 1_000
/** The number of parts of the storm, which lasts one minute. */
const STORM_PARTS = 120
const PART_MS = 60_000 / STORM_PARTS
/** One of `EACH` failures of the storm is a different one. */
const EACH = Math.floor((EQUAL + DIFFERENT) / DIFFERENT)

/** An almost empty page, a page with a small table, and a page with a large table. */
const PAGES = ['/?', '/rows?count=10&', '/rows?count=100&']
const NOTHING = 'part=none'
const LOAD = 'part=load'
const RENDER = 'part=render'
const WORKING = `/?${NOTHING}`

interface Headers {
  readonly [name: string]: string
}

const NO_HEADERS: Headers = {}
/** The headers that Chromium sends for a typed URL, without `Accept-Encoding`. */
const BROWSER: Headers = {
  'sec-ch-ua': '"Chromium";v="156", "Not)A;Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'Upgrade-Insecure-Requests': '1',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  Accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,' +
    'application/signed-exchange;v=b3;q=0.7',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
  'Accept-Language': 'en-US,en;q=0.9',
}
const COMPRESSED: Headers = { ...BROWSER, 'Accept-Encoding': 'gzip, deflate, br, zstd' }

interface Server {
  url: string
  process: ChildProcess
  log: string
}

requireTool('taskset')
// Runs the client on another core than the server.
execFileSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' })
execFileSync(process.execPath, [CLI, 'build', SITE], { stdio: ['ignore', 'ignore', 'inherit'] })
const folder = mkdtempSync(join(tmpdir(), 'hydrant-failures-'))
const ledger = join(folder, 'errors.db')
const env = { ...process.env, NODE_ENV: 'production', PORT: '0', HYDRANT_LEDGER: ledger, HYDRANT_ADMIN: 'false' }
const server = await startServer('server.log', [CLI, 'start', SITE])
try {
  await compareByHand(server)
  for (const page of PAGES) await compareFailing(server, page, BROWSER)
  await compareFailing(server, '/?', COMPRESSED, ', compressed')
  await compareFailing(server, '/?', NO_HEADERS, ', without headers')
  // The baseline: as many requests that do not fail.
  await weatherStorm(server, 'requests that do not fail', () => WORKING)
  await weatherStorm(server, 'failures', failingPath)
} finally {
  await stop(server)
}
await compareCounts()
rmSync(folder, { recursive: true })

/**
 * Compares a failing component on the almost empty page with the same on a server that does only the necessary work.
 */
async function compareByHand(server: Server) {
  const byHand = await startServer('by-hand.log', [BY_HAND])
  const [own, theirs] = [await connect(server), await connect(byHand)]
  const failing = `/?${RENDER}`
  const ways = [own, theirs].flatMap((asker) => [WORKING, failing].map((path) => ({ asker, path })))
  const turns = await takeTurns(ways)
  for (const asker of [own, theirs]) asker.close()
  await stop(byHand)
  const inPages = turns.map(([page, fails, byHandPage, byHandFails]) => {
    const costOf = (rate = 0) => (page ?? 0) / rate
    return { own: costOf(fails) - 1, byHand: costOf(byHandFails) - costOf(byHandPage) }
  })
  const ratios = turns.map(([, , page = 0, fails = 0]) => fails / page)
  console.log(`by hand, ${failing}: ${show(ratios)} × the rate of its working page`)
  const [here, there] = [inPages.map(({ own }) => own), inPages.map(({ byHand }) => byHand)]
  console.log(`a failure costs as much as ${show(here)} pages of ${WORKING}; by hand, as ${show(there)} of them`)
}

async function compareFailing(server: Server, page: string, headers: Headers, how = '') {
  const asker = await connect(server, headers)
  const ways = [NOTHING, LOAD, RENDER].map((part) => ({ asker, path: page + part }))
  const turns = await takeTurns(ways)
  asker.close()
  for (const [index, { path }] of ways.entries()) {
    if (index === 0) continue
    const ratios = turns.map((rates) => (rates[index] ?? 0) / (rates[0] ?? 0))
    console.log(`${path}${how}: ${show(ratios)} × the rate of the working page`)
  }
}

function connect({ url }: Server, headers = BROWSER): Promise<Asker> {
  return Asker.connect(url, CONNECTIONS, headers)
}

/** Returns the request rates of all ways, one array per turn. */
async function takeTurns(ways: readonly { asker: Asker; path: string }[]): Promise<number[][]> {
  for (const { asker, path } of ways) await asker.saturate(path, WARM_UP_MS)
  const turns: number[][] = []
  while (turns.length < TURNS) {
    const rates: number[] = []
    for (const { asker, path } of ways) {
      // Not measured: after a pause or other work, a server is slower for a moment.
      await asker.saturate(path, BEFORE_TURN_MS)
      rates.push(await asker.saturate(path, TURN_MS))
    }
    turns.push(rates)
  }
  return turns
}

/**
 * Sends a hundred thousand requests at an even pace over one minute. Breaks in the minute measure the rate without the
 * storm.
 */
async function weatherStorm(server: Server, what: string, pathOf: (index: number) => string) {
  const { pid = 0 } = server.process
  const working = await connect(server)
  const storm = await connect(server)
  const paths = Array.from({ length: EQUAL + DIFFERENT }, (_, index) => pathOf(index))
  const memoryBefore = memoryOf(pid)
  await working.saturate(WORKING, WARM_UP_MS)
  const without = [await working.saturate(WORKING, TURN_MS)]
  const within: number[] = []
  let most = 0
  for (let part = 0; part < STORM_PARTS; part++) {
    const [from, to] = [part, part + 1].map((edge) => Math.round((edge / STORM_PARTS) * paths.length))
    const [rate] = await Promise.all([working.saturate(WORKING, PART_MS), storm.pace(paths.slice(from, to), PART_MS)])
    within.push(rate)
    most = Math.max(most, memoryOf(pid))
    without.push(await working.saturate(WORKING, TURN_MS))
  }
  working.close()
  storm.close()
  const kept = within.map((rate, part) => rate / mean(without.slice(part, part + 2)))
  console.log(`during a storm of ${paths.length} ${what}, working pages keep ${show(kept)} × their rate without it`)
  console.log(`memory: ${memoryBefore} MB before, at most ${most} MB during, ${memoryOf(pid)} MB after`)
}

// The different failures are spread evenly between the equal ones. Their words consist of letters: numbers do not
// change the fingerprint.
function failingPath(index: number): string {
  const place = Math.floor(index / EACH)
  return index % EACH === 0 && place < DIFFERENT ? `/?word=${wordOf(place)}` : `/?${LOAD}`
}

function wordOf(number: number): string {
  return [...String(number)].map((digit) => 'ghijklmnop'.charAt(Number(digit))).join('')
}

async function compareCounts() {
  const json = execFileSync(process.execPath, [CLI, 'errors', SITE, '--ledger', ledger, '--limit', '5000', '--json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  // The cast is safe because `hydrant errors --json` documents this format.
  const failures = JSON.parse(json) as { count: number }[]
  const kept = failures.reduce((sum, { count }) => sum + count, 0)
  // The log is longer than the maximum string length.
  let logged = 0
  for await (const line of createInterface(createReadStream(server.log))) if (line.includes('"digest"')) logged++
  console.log(`ledger: ${failures.length} failures, ${kept} occurrences; the log has ${logged} lines of failures`)
  if (kept !== logged) {
    console.error('Error: the ledger does not have as many failures as the log')
    process.exitCode = 1
  }
}

async function startServer(logName: string, words: readonly string[]): Promise<Server> {
  const log = join(folder, logName)
  const file = openSync(log, 'w')
  const child = spawn('taskset', ['-c', '0', process.execPath, ...words], { stdio: ['ignore', file, file], env })
  for (;;) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(readFileSync(log, 'utf8'))?.[0]
    if (url) return { url, process: child, log }
    if (child.exitCode !== null) throw new Error(`the server did not start:\n${readFileSync(log, 'utf8')}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function stop({ process }: Server) {
  process.kill('SIGTERM')
  await once(process, 'exit')
}

/** Returns the resident memory in megabytes. */
function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Formats the median and the quartiles. */
function show(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b)
  const [low = 0, middle = 0, high = 0] = [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(part * sorted.length)])
  return `${middle.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}

function requireTool(name: string) {
  try {
    execFileSync('which', [name])
  } catch {
    console.error(`Error: ${name} is not installed`)
    console.error('Try: apt-get install util-linux')
    process.exit(1)
  }
}
