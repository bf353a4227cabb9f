import { spawn } from 'node:child_process'
import { listFailed } from './failed.ts'
import { nameSources } from './source-places.ts'

/** The result of a test file. */
export interface Outcome {
  passed: number
  /** A description of each failure. */
  failures: string[]
  /** The text of both outputs, in order. */
  output: string
  seconds: number
}

/** tap ends a test file after this time. A busy machine needs a fifth of it for the longest file. */
const PATIENCE_S = 600
/** A process that still runs after this time is killed. */
const KILLED_AFTER_MS = (PATIENCE_S + 60) * 1000
/** How long the processes that a test started may keep its outputs open after it has ended. */
const GRACE_MS = 10_000

/**
 * V8 waits longer before it optimizes a function, which takes up to a third of the time of a short process. Programs
 * that tests start get these options too.
 */
export const V8_OPTIONS = ['--interrupt-budget=1000000']

/** Runs a test file in a process of its own, started by `node` alone: no loader, hook or wrapper. */
export function runFile(file: string): Promise<Outcome> {
  const startedAt = Date.now()
  const { NODE_OPTIONS: _, ...own } = process.env
  const env = { ...own, TAP_TIMEOUT: String(PATIENCE_S) }
  const child = spawn(process.execPath, [...V8_OPTIONS, file], { env, timeout: KILLED_AFTER_MS, killSignal: 'SIGKILL' })
  let tap = ''
  let output = ''
  child.stdin.end()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    tap += text
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    let end = ''
    const finish = (leftBehind: boolean) => {
      const passed = countPassed(tap)
      const failures = listFailed(nameSources(tap))
      // A process can fail without reporting a failed assertion.
      if (end !== '' && failures.length === 0) failures.push(end)
      if (end === '' && passed + failures.length === 0) failures.push('nothing in it was tested')
      if (leftBehind) failures.push('a process that it has started is still there')
      const seconds = (Date.now() - startedAt) / 1000
      resolve({ passed, failures, output: nameSources(output), seconds })
    }
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code !== 0) end = signal === null ? `ended with ${code}` : `was killed by ${signal}`
      const grace = setTimeout(() => {
        child.removeAllListeners('close')
        child.stdout.destroy()
        child.stderr.destroy()
        finish(true)
      }, GRACE_MS)
      child.on('close', () => {
        clearTimeout(grace)
        finish(false)
      })
    })
  })
}

/** Reads the number of passed assertions, nested ones included, from tap's summary. */
function countPassed(tap: string): number {
  return Number(/^# \{ total: \d+, pass: (\d+)/m.exec(tap)?.[1] ?? 0)
}
