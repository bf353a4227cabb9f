import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { FailureFigures } from './figures.ts'
import { CLI, SITE } from './server.ts'

/** Compares the ledger with the log of a server that has stopped. */
export async function countFailures(ledger: string, log: string): Promise<FailureFigures['ledger']> {
  const words = [CLI, 'errors', SITE, '--ledger', ledger, '--limit', '5000', '--json']
  const json = execFileSync(process.execPath, words, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  // The cast is safe because `hydrant errors --json` documents this format.
  const failures = JSON.parse(json) as { count: number }[]
  let logged = 0
  // The log is longer than the maximum string length.
  for await (const line of createInterface(createReadStream(log))) if (line.includes('"digest"')) logged++
  const occurrences = failures.reduce((sum, { count }) => sum + count, 0)
  return { failures: failures.length, occurrences, logged }
}
