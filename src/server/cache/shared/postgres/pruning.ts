import type { Client } from 'pg'
import { MAX_STORED_TAGS } from '../backend.ts'
import { PRUNE_ENTRIES, PRUNE_LEASES, PRUNE_TAGS } from './queries.ts'

const INTERVAL_MS = 60_000
/** How long each query waits for a server that does not respond. */
const RESPONSE_MS = 10_000

interface PruningInput {
  pg: { Client: typeof Client }
  url: string
  maxBytes: number
  maxTags?: number
}

/**
 * Keeps the tables within their limits. Prunes them when this process has written a tenth of `maxBytes`, and once a
 * minute if it has written something. Pruning uses a connection of its own, so that requests do not wait for it.
 */
export function createPruning({ pg, url, maxBytes, maxTags = MAX_STORED_TAGS }: PruningInput) {
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
      // The tables are pruned again later. The connection of the backend reports that the server is unavailable.
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
