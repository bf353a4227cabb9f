import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { listFailed } from './failed.ts'
import { END, type Report } from './messages.ts'
import { nameSources } from './source-places.ts'
import { patienceOf } from './tiers.ts'

/** The result of a test file. */
export interface Outcome {
  passed: number
  /** A description of each failure. */
  failures: string[]
  /** What the file, and the processes that it has started, have written. */
  output: string
  seconds: number
}

/** Modules stay in memory, so a process runs no more files than this. */
const MOST_FILES = 30
/** A file that tap could not end is killed with its process after this time. */
const KILLED_AFTER_MS = 60_000
const GRACE_MS = 30_000

const WORKER = resolve('dist/test/runner/worker.js')

export interface PoolOptions {
  /** The Node.js that runs the files (that of this process). */
  program?: string
  /** The number of processes. */
  jobs: number
  /** Says whether a file needs a process of its own. */
  isAlone(file: string): boolean
  report(file: string, outcome: Outcome): void
  /** How long a process, and those that its files have started, may run after its last file (10 s). */
  graceMs?: number
}

/** Runs test files in their order, several at a time. */
export async function runPool(
  files: readonly string[],
  { program = process.execPath, jobs, isAlone, report, graceMs = GRACE_MS }: PoolOptions,
): Promise<void> {
  const queue = [...files]
  async function work() {
    let shared: TestProcess | null = null
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const alone = isAlone(file)
      const worker: TestProcess = (alone ? null : shared) ?? startProcess(program, graceMs)
      const outcome = await worker.run(file)
      const isFull = alone || worker.files.length >= MOST_FILES || !worker.isRunning()
      if (!alone) shared = isFull ? null : worker
      if (isFull) outcome.failures.push(...(await worker.end()))
      report(file, outcome)
    }
    const left = (await shared?.end()) ?? []
    if (left.length > 0) report(shared?.files.at(-1) ?? '', { passed: 0, failures: left, output: '', seconds: 0 })
  }
  await Promise.all(Array.from({ length: jobs }, work))
}

interface TestProcess {
  /** The files so far. */
  files: string[]
  isRunning(): boolean
  run(file: string): Promise<Outcome>
  /** Ends the process, and returns how it has failed. */
  end(): Promise<string[]>
}

function startProcess(program: string, graceMs: number): TestProcess {
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = fork(WORKER, { execPath: program, env, silent: true, execArgv: [] })
  const closed = once(child, 'close')
  const files: string[] = []
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const isRunning = () => child.exitCode === null && child.signalCode === null
  let crashed = false
  return {
    files,
    isRunning,
    async run(file) {
      files.push(file)
      output = ''
      const startedAt = Date.now()
      const found = await requestReport(child, file)
      const seconds = (Date.now() - startedAt) / 1000
      if (typeof found === 'string') {
        crashed = true
        // What it wrote last may say why.
        await Promise.race([closed, wait(graceMs)])
        return { passed: 0, failures: [found], output: nameSources(output), seconds }
      }
      const { passed, tap } = found
      const failures = listFailed(nameSources(tap))
      if (passed + failures.length === 0) failures.push('nothing in it was tested')
      return { passed, failures, output: nameSources(output + tap), seconds }
    },
    async end() {
      if (isRunning()) child.send(END)
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      const isClosed = await Promise.race([closed.then(() => true), wait(graceMs + 1000)])
      clearTimeout(timer)
      child.stdout?.destroy()
      child.stderr?.destroy()
      const { exitCode, signalCode } = child
      const among = files.length > 1 ? `, after ${files.join(', ')}` : ''
      if (crashed) return []
      if (signalCode !== null) return [`something in its process still ran ${graceMs} ms after it${among}`]
      if (!isClosed) return [`a process that it has started is still there${among}`]
      return exitCode === 0 ? [] : [`its process ended with ${exitCode}${among}`]
    },
  }
}

/** Runs a file. Resolves with a text if the process ends before the file. */
async function requestReport(child: ChildProcess, file: string): Promise<Report | string> {
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceOf(file) + KILLED_AFTER_MS)
  try {
    return await new Promise((done) => {
      // tap itself sends other messages.
      child.on('message', (message: Partial<Report>) => {
        if (message.tap !== undefined) done(message as Report)
      })
      child.once('exit', (code, signal) =>
        done(signal === null ? `its process ended with ${code}` : `its process was killed by ${signal}`),
      )
      child.send(file)
    })
  } finally {
    clearTimeout(timer)
    child.removeAllListeners('message').removeAllListeners('exit')
  }
}

function wait(ms: number): Promise<false> {
  return new Promise((done) => setTimeout(() => done(false), ms).unref())
}
