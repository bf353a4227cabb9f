import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
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

/** What a process of the runner has done. */
export interface Program {
  /** The text of the standard output. */
  tap: string
  /** The text of both outputs, in order. */
  output: string
  /** How the process has failed, or an empty string. */
  end: string
  /** Whether a process that it has started still had its outputs open. */
  leftBehind: boolean
  seconds: number
}

/** tap ends a test file after this time. A busy machine needs a fifth of it for the longest file. */
const PATIENCE_S = 600
/** A process that still runs after this time for each of its files is killed. */
const KILLED_AFTER_MS = (PATIENCE_S + 60) * 1000
/** How long the processes that a test started may keep its outputs open after it has ended. */
const GRACE_MS = 10_000

/** The module that test processes load first: it keeps compiled code, and changes nothing else. */
const CODE_CACHE = pathToFileURL(resolve('dist/test/code-cache.js')).href

/** Runs a test file in a process of its own. */
export async function runFile(file: string): Promise<Outcome> {
  const { tap, output, end, leftBehind, seconds } = await runProgram([file], 1)
  const { passed, failures } = readTap(tap)
  // A process can fail without reporting a failed assertion.
  if (end !== '' && failures.length === 0) failures.push(end)
  if (end === '' && passed + failures.length === 0) failures.push('nothing in it was tested')
  if (leftBehind) failures.push('a process that it has started is still there')
  return { passed, failures, output: nameSources(output), seconds }
}

/** Runs `node` with the arguments, and waits for the processes that it leaves behind. `files` is a number. */
export function runProgram(words: readonly string[], files: number, patienceS = PATIENCE_S): Promise<Program> {
  const startedAt = Date.now()
  const { NODE_OPTIONS: _, ...own } = process.env
  const env = { ...own, TAP_TIMEOUT: String(patienceS) }
  const options = { env, timeout: files * KILLED_AFTER_MS, killSignal: 'SIGKILL' } as const
  // It ends with the runner, as the programs that a test starts end with the test.
  const command = [process.execPath, '--import', CODE_CACHE, ...words]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], options)
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
    const finish = (leftBehind: boolean) =>
      resolve({ tap, output, end, leftBehind, seconds: (Date.now() - startedAt) / 1000 })
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

/** Reads the number of passed assertions, nested ones included, and the failures. */
export function readTap(tap: string): Pick<Outcome, 'passed' | 'failures'> {
  // tap's summary of the file.
  const passed = Number(/^# \{ total: \d+, pass: (\d+)/m.exec(tap)?.[1] ?? 0)
  return { passed, failures: listFailed(nameSources(tap)) }
}
