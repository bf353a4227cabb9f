import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { CLI, SITE, type SoakServer } from './server.ts'

export interface KeptFailures {
  /** Failure lines in the log. */
  logged: number
  /** Failures in the ledger. */
  kept: number
  /** The first log lines of level `warn` or above that no request of the load explains. */
  strange: string[]
}

interface Line {
  level: number
  digest?: string
  err?: { message: string }
}

const WARN = 40
const MAX_STRANGE = 10
/** Matches the soak site's own errors, and the deadlines that some requests exceed on purpose. */
const EXPECTED = /^soak: |^the loads did not finish within|^the document was not complete within/
/** Matches Node's warnings about the APIs that the soak site uses. */
const EXPECTED_TEXT = /ExperimentalWarning: v8\.queryObjects|--trace-warnings/

export async function readKeptFailures({ log, ledger }: SoakServer): Promise<KeptFailures> {
  let logged = 0
  const strange: string[] = []
  for await (const text of createInterface(createReadStream(log))) {
    const line = readLine(text)
    if (line?.digest !== undefined) logged++
    const isExpected = line ? line.level < WARN || EXPECTED.test(line.err?.message ?? '') : EXPECTED_TEXT.test(text)
    if (!isExpected && strange.length < MAX_STRANGE) strange.push(text)
  }
  return { logged, kept: countKept(ledger), strange }
}

function readLine(text: string): Line | null {
  try {
    // The cast is safe because each line of the server's log is JSON.
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}

function countKept(ledger: string): number {
  const words = ['errors', SITE, '--ledger', ledger, '--limit', '10000', '--json']
  const json = execFileSync(process.execPath, [CLI, ...words], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  // The cast is safe because `hydrant errors --json` documents this format.
  return (JSON.parse(json) as { count: number }[]).reduce((sum, { count }) => sum + count, 0)
}
