import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { CLI, SITE, type SoakServer } from './server.ts'

export interface KeptFailures {
  /** Lines of failures in the log. */
  logged: number
  /** Failures in the ledger. */
  kept: number
  /** The first lines from warnings upwards that no request of the load explains. */
  strange: string[]
}

interface Line {
  level: number
  digest?: string
  err?: { message: string }
}

const WARN = 40
const MAX_STRANGE = 10
/** The soak site's own errors, and deadlines that some requests are there to pass. */
const EXPECTED = /^soak: |^the loads did not finish within|^the document was not complete within/
/** What Node says of what the soak site asks it for. */
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
    // The server's log is JSON, a line each.
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}

function countKept(ledger: string): number {
  const words = ['errors', SITE, '--ledger', ledger, '--limit', '10000', '--json']
  const json = execFileSync(process.execPath, [CLI, ...words], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  // What `hydrant errors` documents.
  return (JSON.parse(json) as { count: number }[]).reduce((sum, { count }) => sum + count, 0)
}
