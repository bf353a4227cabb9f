import { spawn } from 'node:child_process'
import { listFailed } from './failed.ts'

/** What a file of tests has come to. */
export interface Outcome {
  passed: number
  /** What failed, each in words. */
  failures: string[]
  /** All that it has written, in order. */
  output: string
  seconds: number
}

/** A test gives up by itself after so long. */
const PATIENCE_S = 240
/** And what does not is ended. */
const KILLED_AFTER_MS = (PATIENCE_S + 60) * 1000
/** What a test has started may still write for a moment when it has ended. */
const GRACE_MS = 10_000

/** Runs a file of tests in a process of its own, as `node` alone would: nothing stands between Node.js and what it starts. */
export function runFile(file: string): Promise<Outcome> {
  const startedAt = Date.now()
  const { NODE_OPTIONS: _, ...own } = process.env
  const env = { ...own, TAP_TIMEOUT: String(PATIENCE_S) }
  const child = spawn(process.execPath, [file], { env, timeout: KILLED_AFTER_MS, killSignal: 'SIGKILL' })
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
      const failures = listFailed(tap)
      // One that ends without a word of what failed has failed all the same.
      if (end !== '' && failures.length === 0) failures.push(end)
      if (end === '' && passed + failures.length === 0) failures.push('nothing in it was tested')
      if (leftBehind) failures.push('a process that it has started is still there')
      const seconds = (Date.now() - startedAt) / 1000
      resolve({ passed, failures, output, seconds })
    }
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code !== 0) end = signal === null ? `ended with ${code}` : `was ended by ${signal}`
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

/** Counts the assertions, wherever they are nested; a line for a subtest only repeats what is inside. */
function countPassed(tap: string): number {
  return Number(/^# \{ total: \d+, pass: (\d+)/m.exec(tap)?.[1] ?? 0)
}
