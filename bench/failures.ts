// What failures cost: `npm run bench:failures`, with `wrk` and `taskset` at hand (Debian packages wrk and util-linux).
//
// A page that fails beside the same page that does not, what it could be at best, and pages that work while a storm of
// failures goes on. The
// server runs on one core, what asks it on another; rounds alternate, so that ratios hold where machines are noisy.

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
const STORM_SECONDS = 60
const EQUAL = 100_000
const DIFFERENT = 1_000
/** Every so many of them there is one of the different ones. */
const EACH = Math.floor((EQUAL + DIFFERENT) / DIFFERENT)

/** An all but empty page, and one with a hundred rows. */
const PAGES = ['/', '/rows']
/** Nothing fails of the first. */
const WAYS = ['?part=none', '?part=load', '?part=render']
const WORKING = `/${WAYS[0]}`

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

/** A hundred thousand requests at an even pace, over one minute. */
async function weatherStorm({ url, process: { pid = 0 } }: Server, what: string, pathOf: (index: number) => string) {
  const before: number[] = []
  const within: number[] = []
  for (let round = 0; round < ROUNDS; round++) before.push(load(url + WORKING, ROUND_SECONDS))
  const memoryBefore = memoryOf(pid)
  const storm = sendStorm(url, pathOf)
  const until = performance.now() + STORM_SECONDS * 1_000
  let most = 0
  while (performance.now() < until - ROUND_SECONDS * 1_000) {
    within.push(await loadBeside(url + WORKING, ROUND_SECONDS))
    most = Math.max(most, memoryOf(pid))
  }
  const { answered, lastSent } = await storm
  for (let round = 0; round < ROUNDS; round++) before.push(load(url + WORKING, ROUND_SECONDS))
  const rate = median(before)
  console.log(`storm: ${answered} ${what} answered, the last sent after ${(lastSent / 1_000).toFixed(1)} s`)
  console.log(`pages that work: ${show(within.map((own) => own / rate))} × their rate without the storm`)
  console.log(`memory: ${memoryBefore} MB before, at most ${most} MB within, ${memoryOf(pid)} MB after`)
}

async function sendStorm(
  url: string,
  pathOf: (index: number) => string,
): Promise<{ answered: number; lastSent: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const begin = performance.now()
  const total = EQUAL + DIFFERENT
  let sent = 0
  let answered = 0
  let lastSent = 0
  await new Promise<void>((resolve, reject) => {
    const timer = setInterval(() => {
      const due = Math.min(total, Math.round(((performance.now() - begin) / 1_000 / STORM_SECONDS) * total))
      for (; sent < due; sent++) {
        lastSent = performance.now() - begin
        const request = get(url + pathOf(sent), { agent, headers: { 'user-agent': 'storm' } }, (response) => {
          response.resume().on('end', () => {
            answered++
            if (answered === total) resolve()
          })
        })
        request.on('error', reject)
      }
      if (sent === total) clearInterval(timer)
    }, 5)
  })
  agent.destroy()
  return { answered, lastSent }
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
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
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
