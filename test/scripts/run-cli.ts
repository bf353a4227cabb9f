import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { COMMAND_OPTIONS } from '../command-options.ts'
import { cliPath } from './cli-path.ts'
import { sharePackages } from './share-packages.ts'

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
}

interface CliOptions {
  cwd?: string
  env?: Record<string, string>
  /** Options of Node itself (those of the test). */
  node?: readonly string[]
  /** The command of another installation. */
  cli?: string
  /** A command that runs it. */
  under?: readonly string[]
}

/** Runs the command to its end. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = spawnCli(args, options)
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

export interface RunningCli {
  pid: number
  /** Resolves with the match of the next output line that the pattern matches. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Resolves with its exit code when it has exited by itself. */
  ended: Promise<number | null>
  /** All lines so far, of both outputs. */
  lines: readonly string[]
}

/** Starts a command that keeps running. It is ended with the test at the latest. */
export function startCli(t: Pick<Test, 'teardown'>, args: readonly string[], options: CliOptions = {}): RunningCli {
  const [command, dir = '.'] = args
  if (command === 'dev') sharePackages(resolve(options.cwd ?? '.', dir))
  const child = spawnCli(args, options)
  const lines: string[] = []
  const seen: string[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  for (const output of [child.stdout, child.stderr]) {
    if (!output) continue
    createInterface(output).on('line', (line) => {
      lines.push(line)
      seen.push(line)
      wake()
    })
  }
  const ended = once(child, 'close').then(([code]: unknown[]) => {
    wake()
    return typeof code === 'number' ? code : null
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })

  return {
    pid: child.pid ?? 0,
    ended,
    lines,
    waitFor: (pattern) =>
      new Promise((found, fail) => {
        const check = () => {
          for (;;) {
            const line = seen.shift()
            if (line === undefined) break
            const match = pattern.exec(line)
            if (!match) continue
            waiting.delete(check)
            found(match)
            return
          }
          if (child.exitCode !== null) fail(new Error(`It ended with ${child.exitCode} and never wrote ${pattern}.`))
        }
        waiting.add(check)
        check()
      }),
    async stop(signal = 'SIGINT') {
      child.kill(signal)
      return await ended
    },
  }
}

function spawnCli(
  args: readonly string[],
  { cwd, env, node = COMMAND_OPTIONS, cli = cliPath, under = [] }: CliOptions,
): ChildProcess {
  // The environment of the test must not affect the command.
  const { NODE_ENV: _, PORT: __, HOST: ___, ...own } = process.env
  const [program = '', ...words] = [...under, process.execPath, ...node, cli, ...args]
  return spawn(program, words, {
    ...(cwd === undefined ? {} : { cwd }),
    // Many servers run at once, and their consoles have one default port.
    env: { ...own, HYDRANT_ADMIN: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
