import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

export interface Writer {
  /** Resolves when that many batches are written. */
  written(batches: number): Promise<void>
  /** Kills the process with SIGKILL. Returns the number of batches that it has reported as written. */
  kill(): Promise<number>
  /** Resolves with its exit code. */
  ended: Promise<number | null>
}

/** Starts a process that writes five failures twice with each batch. */
export function startWriter(t: Pick<Test, 'teardown'>, place: string, batches: number, release = 'r1'): Writer {
  const words = ['dist/test/server/ledger/writer-program.js', place, String(batches), release]
  const child = spawn(process.execPath, [...process.execArgv, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const waiting = new Set<() => void>()
  let count = 0
  createInterface(child.stdout).on('line', (line) => {
    count = Number(line.split(' ')[1])
    for (const check of waiting) check()
  })
  const ended = closed.then(([code]) => code as number | null)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return {
    written: (batches) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (count >= batches) resolve()
        }
        waiting.add(check)
        check()
        void ended.then((code) => reject(new Error(`The writer ended with ${code} after ${count} batches.`)))
      }),
    async kill() {
      child.kill('SIGKILL')
      await closed
      return count
    },
    ended,
  }
}
