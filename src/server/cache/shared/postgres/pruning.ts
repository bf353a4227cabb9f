import type { Client } from 'pg'
import { MAX_TAGS } from '../backend.ts'
import { PRUNE_ENTRIES, PRUNE_LEASES, PRUNE_TAGS } from './queries.ts'

const INTERVAL_MS = 60_000
/** A server that does not respond is not waited for. */
const RESPONSE_MS = 10_000

interface PruningInput {
  pg: { Client: typeof Client }
  url: string
  maxBytes: number
  maxTags?: number
}

/**
 * Keeps the tables within their limits: after each tenth of the bytes that this process writes, and once a minute if it
 * has written something. This takes a connection of its own, because no request may wait for it.
 */
export function createPruning({ pg, url, maxBytes, maxTags = MAX_TAGS }: PruningInput) {
  let written = 0
  let isRunning = false
  const timer = setInterval(() => written > 0 && run(), INTERVAL_MS).unref()

  async function run() {
    if (isRunning) return
    isRunning = true
    written = 0
    const times = { connectionTimeoutMillis: RESPONSE_MS, query_timeout: RESPONSE_MS }
    const client = new pg.Client({ connectionString: url, application_name: 'hydrant', ...times })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(PRUNE_ENTRIES, [maxBytes])
      await client.query(PRUNE_LEASES)
      await client.query(PRUNE_TAGS, [maxTags])
    } catch {
      // It is run again. That the server is unavailable is noticed elsewhere.
    }
    await client.end().catch(() => {})
    isRunning = false
    runIfDue()
  }

  function runIfDue() {
    if (written > maxBytes / 10) void run()
  }

  return {
    /** Counts the bytes of a response that was written. */
    count(bytes: number) {
      written += bytes
      runIfDue()
    },
    stop: () => clearInterval(timer),
  }
}
