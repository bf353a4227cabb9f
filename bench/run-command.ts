import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { readHeld } from './process-tree.ts'

/** The cost of a command that has ended. */
export interface Cost {
  ms: number
  /** The most resident memory of its processes together in MB, sampled. */
  peakMb: number
}

const SAMPLE_MS = 25

/** Runs a command to its end. Throws an error with the end of its output if it fails. */
export async function runCommand(
  words: readonly [string, ...string[]],
  { dir, log, env = {} }: { dir: string; log: string; env?: Readonly<Record<string, string>> },
): Promise<Cost> {
  const [program, ...args] = words
  const output = openSync(log, 'w')
  const begin = performance.now()
  const child = spawn(program, args, { cwd: dir, stdio: ['ignore', output, output], env: { ...process.env, ...env } })
  closeSync(output)
  let [peakMb, ms, isRunning] = [0, 0, true]
  const ended = once(child, 'exit').then(([code]) => {
    ms = performance.now() - begin
    isRunning = false
    if (code !== 0)
      throw new Error(`${words.join(' ')} has failed in ${dir}:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
  })
  while (isRunning) {
    peakMb = Math.max(peakMb, readHeld(child.pid ?? 0).residentMb)
    await Promise.race([ended, wait(SAMPLE_MS)])
  }
  await ended
  return { ms, peakMb }
}
