// What failures cost: `npm run bench:failures`, with `wrk` and `taskset` at hand (Debian packages wrk and util-linux).
//
// A page that fails beside the same page that does not, what it could be at best, and pages that work while a storm of
// failures goes on. The server runs on one core, what asks it on another; rounds alternate, so that ratios hold where
// machines are noisy.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const SITE = join(ROOT, 'bench/failing-site')
const CLI = join(ROOT, 'dist/scripts/cli.js')
const FLOOR = join(ROOT, 'dist/bench/failure-floor.js')
const CONNECTIONS = 50
const ROUNDS = 5
const ROUND_SECONDS = 3
const EQUAL = 100_000
const DIFFERENT = 1_000
/** Of a minute. */
const STORM_PARTS = 10
const PART_SECONDS = 60 / STORM_PARTS
const PART_REQUESTS = (EQUAL + DIFFERENT) / STORM_PARTS
/** Every so many of them there is one of the different ones. */
const EACH = Math.floor((EQUAL + DIFFERENT) / DIFFERENT)

/** An all but empty page, one with a small table, and one with a large one. */
const PAGES = ['/?', '/rows?count=10&', '/rows?count=100&']
/** Nothing fails of the first. */
const WAYS = ['part=none', 'part=load', 'part=render']
const WORKING = `/?${WAYS[0]}`

interface Server {
  url: string
  process: ChildProcess
  log: string
}

for (const tool of ['wrk', 'taskset']) requireTool(tool)
// Not beside the server.
execFileSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' })
execFileSync(process.execPath, [CLI, 'build', SITE], { stdio: ['ignore', 'ignore', 'inherit'] })
const folder = mkdtempSync(join(tmpdir(), 'hydrant-failures-'))
const ledger = join(folder, 'errors.db')
const env = { ...process.env, NODE_ENV: 'production', PORT: '0', HYDRANT_LEDGER: ledger, HYDRANT_ADMIN: 'false' }
const server = await startServer('server.log', [CLI, 'start', SITE])
try {
  compareFailing(server)
  await findBest(server)
  // What so many requests take from others, be they failures or not.
  await weatherStorm(server, 'requests that do not fail', () => WORKING)
  await weatherStorm(server, 'failures', failingPath)
} finally {
  await stop(server)
}
compareCounts()
rmSync(folder, { recursive: true })

function compareFailing({ url }: Server) {
  for (const page of PAGES) {
    for (const way of WAYS) load(url + page + way, 5)
    const rounds = Array.from({ length: ROUNDS }, () => WAYS.map((way) => load(url + page + way, ROUND_SECONDS)))
    for (const [index, way] of WAYS.entries()) {
      if (index === 0) continue
      const ratios = rounds.map((rates) => (rates[index] ?? 0) / (rates[0] ?? 0))
      console.log(`${page}${way}: ${show(ratios)} × the rate of the page that does not fail`)
    }
  }
}

/**
 * What a failing page would be if it cost no more than the same page that does not, an error with its stack, and one line of
 * the log.
 */
async function findBest({ url }: Server) {
  const floor = await startServer('floor.log', [FLOOR])
  for (const path of ['/', '/fails']) load(floor.url + path, 5)
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [page, bare, fails] = [url + WORKING, floor.url, `${floor.url}/fails`].map(
      (each) => 1 / load(each, ROUND_SECONDS),
    )
    return { page: page ?? 0, stackAndLine: (fails ?? 0) - (bare ?? 0) }
  })
  await stop(floor)
  const shares = rounds.map(({ page, stackAndLine }) => stackAndLine / page)
  const ratios = rounds.map(({ page, stackAndLine }) => page / (page + stackAndLine))
  console.log(`a stack and a line alone: ${show(shares)} × what ${WORKING} takes`)
  console.log(
    `${WORKING} that fails, if it cost nothing else: ${show(ratios)} × the rate of the page that does not fail`,
  )
}

/**
 * A hundred thousand requests at an even pace, over one minute. The minute has breaks, in which the rate without the storm is
 * measured: what lies close together can be compared, on a machine whose speed changes from one minute to the next.
 */
async function weatherStorm({ url, process: { pid = 0 } }: Server, what: string, pathOf: (index: number) => string) {
  const memoryBefore = memoryOf(pid)
  const without = [load(url + WORKING, ROUND_SECONDS)]
  const within: number[] = []
  let most = 0
  for (let part = 0; part < STORM_PARTS; part++) {
    const storm = sendStorm(url, (index) => pathOf(part * PART_REQUESTS + index))
    within.push(await loadBeside(url + WORKING, PART_SECONDS - 1))
    most = Math.max(most, memoryOf(pid))
    await storm
    without.push(load(url + WORKING, ROUND_SECONDS))
  }
  const kept = within.map((rate, part) => rate / median(without.slice(part, part + 2)))
  console.log(
    `storm of ${STORM_PARTS * PART_REQUESTS} ${what}: pages that work keep ${show(kept)} × their rate without it`,
  )
  console.log(`memory: ${memoryBefore} MB before, at most ${most} MB within, ${memoryOf(pid)} MB after`)
}

/** One part of it. Resolves when all is answered. */
function sendStorm(url: string, pathOf: (index: number) => string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const begin = performance.now()
  let sent = 0
  let answered = 0
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      const due = Math.round(((performance.now() - begin) / 1_000 / PART_SECONDS) * PART_REQUESTS)
      for (; sent < Math.min(due, PART_REQUESTS); sent++) {
        const request = get(url + pathOf(sent), { agent, headers: { 'user-agent': 'storm' } }, (response) => {
          response.resume().on('end', () => {
            if (++answered < PART_REQUESTS) return
            agent.destroy()
            resolve()
          })
        })
        request.on('error', reject)
      }
      if (sent === PART_REQUESTS) clearInterval(timer)
    }, 5)
  })
}

// The different ones lie between the equal ones. Words of letters alone: numbers do not make another cause.
function failingPath(index: number): string {
  const place = Math.floor(index / EACH)
  return index % EACH === 0 && place < DIFFERENT ? `/?word=${wordOf(place)}` : '/?part=load'
}

function wordOf(number: number): string {
  return [...String(number)].map((digit) => 'ghijklmnop'.charAt(Number(digit))).join('')
}

function compareCounts() {
  const json = execFileSync(process.execPath, [CLI, 'errors', SITE, '--ledger', ledger, '--limit', '5000', '--json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  // What `hydrant errors` documents.
  const causes = JSON.parse(json) as { count: number }[]
  const kept = causes.reduce((sum, { count }) => sum + count, 0)
  const logged = readFileSync(server.log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"digest"')).length
  console.log(`ledger: ${causes.length} causes, ${kept} failures; the log has ${logged} lines of failures`)
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

function wrk(url: string, seconds: number): string[] {
  return ['-c', '1', 'wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, url]
}

/** Requests a second. */
function load(url: string, seconds: number): number {
  return rateIn(execFileSync('taskset', wrk(url, seconds), { encoding: 'utf8' }))
}

async function loadBeside(url: string, seconds: number): Promise<number> {
  const child = spawn('taskset', wrk(url, seconds), { stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  return rateIn(Buffer.concat(chunks).toString())
}

function rateIn(output: string): number {
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]
  if (rate === undefined) throw new Error(`wrk did not say its rate:\n${output}`)
  return Number(rate)
}

/** Resident, in megabytes. */
function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = 0] = [sorted[Math.ceil(values.length / 2) - 1], sorted[Math.floor(values.length / 2)]]
  return (low + high) / 2
}

function show(ratios: readonly number[]): string {
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
}

function requireTool(name: string) {
  try {
    execFileSync('which', [name])
  } catch {
    console.error(`Error: ${name} is not installed`)
    console.error('Try: apt-get install wrk util-linux')
    process.exit(1)
  }
}
