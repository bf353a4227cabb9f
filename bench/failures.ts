// What failures cost: `npm run bench:failures`, about a quarter of an hour, with `taskset` at hand (Debian package util-linux).
//
// A page that fails beside the same page that does not, the same of a server written by hand, and pages that work while a storm
// of failures goes on. The server runs on one core, what asks it on another. What is compared is asked for in turns of a
// quarter of a second, and each turn is set against its neighbours: a machine that is slow for some seconds is so for both.
// Requests are those of a browser that takes no compressed answers; the smallest page is also asked for as a browser does,
// compressed, and with the least that HTTP asks of a request.

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
/** Of a minute. */
const STORM_PARTS = 120
const PART_MS = 60_000 / STORM_PARTS
/** Every so many of them there is one of the different ones. */
const EACH = Math.floor((EQUAL + DIFFERENT) / DIFFERENT)

/** An all but empty page, one with a small table, and one with a large one. */
const PAGES = ['/?', '/rows?count=10&', '/rows?count=100&']
const NOTHING = 'part=none'
const LOAD = 'part=load'
const RENDER = 'part=render'
const WORKING = `/?${NOTHING}`

interface Headers {
  readonly [name: string]: string
}

const NO_HEADERS: Headers = {}
/** What Chromium sends when somebody types an address, but for the encodings. */
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
// Not beside the server.
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
  // What so many requests take from others, be they failures or not.
  await weatherStorm(server, 'requests that do not fail', () => WORKING)
  await weatherStorm(server, 'failures', failingPath)
} finally {
  await stop(server)
}
await compareCounts()
rmSync(folder, { recursive: true })

/** A component that fails on the all but empty page, beside the same of a server that does no more than it must. */
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
  console.log(`by hand, ${failing}: ${show(ratios)} × the rate of its page that does not fail`)
  const [here, there] = [inPages.map(({ own }) => own), inPages.map(({ byHand }) => byHand)]
  console.log(
    `that it fails costs as much as ${show(here)} pages of ${WORKING}; by hand, as ${show(there)} of the same`,
  )
}

async function compareFailing(server: Server, page: string, headers: Headers, how = '') {
  const asker = await connect(server, headers)
  const ways = [NOTHING, LOAD, RENDER].map((part) => ({ asker, path: page + part }))
  const turns = await takeTurns(ways)
  asker.close()
  for (const [index, { path }] of ways.entries()) {
    if (index === 0) continue
    const ratios = turns.map((rates) => (rates[index] ?? 0) / (rates[0] ?? 0))
    console.log(`${path}${how}: ${show(ratios)} × the rate of the page that does not fail`)
  }
}

function connect({ url }: Server, headers = BROWSER): Promise<Asker> {
  return Asker.connect(url, CONNECTIONS, headers)
}

/** The rates of each way, turn by turn. */
async function takeTurns(ways: readonly { asker: Asker; path: string }[]): Promise<number[][]> {
  for (const { asker, path } of ways) await asker.saturate(path, WARM_UP_MS)
  const turns: number[][] = []
  while (turns.length < TURNS) {
    const rates: number[] = []
    for (const { asker, path } of ways) {
      // A server that has stood still, or has done something else, is slower for a moment: that is nobody's turn.
      await asker.saturate(path, BEFORE_TURN_MS)
      rates.push(await asker.saturate(path, TURN_MS))
    }
    turns.push(rates)
  }
  return turns
}

/**
 * A hundred thousand requests at an even pace, over one minute. The minute has breaks, in which the rate without the storm is
 * measured.
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
  console.log(`storm of ${paths.length} ${what}: pages that work keep ${show(kept)} × their rate without it`)
  console.log(`memory: ${memoryBefore} MB before, at most ${most} MB within, ${memoryOf(pid)} MB after`)
}

// The different ones lie between the equal ones. Words of letters alone: numbers do not change a fingerprint.
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
  // What `hydrant errors` documents.
  const failures = JSON.parse(json) as { count: number }[]
  const kept = failures.reduce((sum, { count }) => sum + count, 0)
  // The log is longer than a string may be.
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

/** Resident, in megabytes. */
function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The median, and between what half of them lie. */
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
