// The state of the link of a process to the server that keeps the shared cache.
//
// | state    | the server                          | reads    | writes  | invalidations      | log                      |
// |----------|-------------------------------------|----------|---------|--------------------|--------------------------|
// | away     | there is no connection              | null     | skipped | wait               | a warning at once        |
// | doubtful | is new, or a call got no response   | null     | skipped | wait, announced    | a warning after a second |
// | refusing | responds, and refuses to record     | answered | skipped | wait, announced    | a warning at once        |
// | up       | responds and records                | answered | made    | are recorded       | `uses … again`           |
// | closed   | is not used any more                | null     | skipped | are refused        | nothing                  |

import type { FastifyBaseLogger } from 'fastify'
import { createOutageLog } from '../../log/throttled-line.ts'
import { connectionMessageOf } from '../../util/unknown-values.ts'

type LinkState = 'away' | 'doubtful' | 'refusing' | 'up' | 'closed'

/**
 * `late`: a call got no response in time. `rejected`: a call failed. `verified`, `refused` and `failed` are the results
 * of `verify`: `refused` if the server responds, but records nothing.
 */
type LinkEvent = 'connected' | 'disconnected' | 'late' | 'rejected' | 'verified' | 'refused' | 'failed' | 'closed'

/** The next state. An event that is missing changes nothing. */
const NEXT: Record<LinkState, Partial<Record<LinkEvent, LinkState>>> = {
  away: { connected: 'doubtful', closed: 'closed' },
  doubtful: { disconnected: 'away', verified: 'up', refused: 'refusing', closed: 'closed' },
  refusing: { disconnected: 'away', late: 'doubtful', verified: 'up', failed: 'doubtful', closed: 'closed' },
  up: {
    disconnected: 'away',
    late: 'doubtful',
    rejected: 'refusing',
    refused: 'refusing',
    failed: 'doubtful',
    closed: 'closed',
  },
  closed: {},
}

export interface StateInput {
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>
  /** Names the store in the log, without secrets. */
  place: string
  /** Called when the store becomes unavailable. */
  onAway(): void
}

export type LinkStep = (event: LinkEvent, error?: unknown) => void

/** Keeps the state of a link, and logs how it changes. */
export function createLinkState({ log, place, onAway }: StateInput) {
  const outage = createStoreOutage({ log, place })
  let state: LinkState = 'away'
  /** The number of connections so far. */
  let connection = 0

  const step: LinkStep = (event, error) => {
    const before = state
    state = NEXT[before][event] ?? before
    if (event === 'connected') connection++
    if (event === 'late') outage.suspected(error)
    else if (error !== undefined && state !== 'closed') outage.failed(error)
    if (event === 'verified' && state === 'up') outage.ended()
    if (event === 'closed') outage.stop()
    if (before === 'up' && state !== 'up') onAway()
  }

  return {
    step,
    is: (...states: readonly LinkState[]) => states.includes(state),
    connection: () => connection,
    /** Returns `step` for the results of an attempt that begins now: with a later connection, they do not count. */
    concluding(): LinkStep {
      const current = connection
      return (event, error) => current === connection && step(event, error)
    },
  }
}

/** Logs the outages of a store. Only messages of errors: other properties contain commands with passwords. */
function createStoreOutage({ log, place }: Pick<StateInput, 'log' | 'place'>) {
  return createOutageLog(
    (error) =>
      log.warn(
        `the page cache cannot use ${place}, so each process caches pages in its own memory for now: ${describeOutage(error)}`,
      ),
    () => log.info(`the page cache uses ${place} again`),
  )
}

function describeOutage(error: unknown): string {
  const fix = error instanceof Error && 'fix' in error ? `. ${String(error.fix)}` : ''
  return `${connectionMessageOf(error)}${fix}`
}

/** How often everything is verified without any other reason, to detect a connection that is broken silently. */
const HEARTBEAT_MS = 5_000
/** The pause before a failed attempt is repeated. */
const RETRY_MS = 1_000

/** What an attempt does: reads the changes, or verifies everything. */
type Depth = 'changes' | 'everything'

interface Refreshing {
  /** Resolves with whether it has succeeded. */
  run(depth: Depth): Promise<boolean>
  /** Called when an attempt gets no response. */
  onStuck(): void
}

/** Runs attempts one after another: when `run` is called, at intervals, and again after a failure. */
export function createRefresher({ run, onStuck }: Refreshing) {
  let isRunning = false
  let wanted: Depth | null = null
  let isStopped = false
  let attempts = 0
  let attemptsBefore = 0
  let retry: NodeJS.Timeout | undefined

  async function runAll(depth: Depth) {
    clearTimeout(retry)
    if (wanted !== 'everything') wanted = depth
    if (isRunning || isStopped) return
    isRunning = true
    let isDone = true
    while (wanted !== null && !isStopped) {
      const next = wanted
      wanted = null
      attempts++
      isDone = await run(next)
    }
    isRunning = false
    if (!isDone && !isStopped) retry = setTimeout(runAll, RETRY_MS, 'everything').unref()
  }

  const heartbeat = setInterval(() => {
    // An attempt that has been running since the previous heartbeat will get no response.
    if (isRunning && attempts === attemptsBefore) onStuck()
    void runAll('everything')
    attemptsBefore = attempts
  }, HEARTBEAT_MS).unref()

  return {
    run: (depth: Depth) => void runAll(depth),
    stop() {
      isStopped = true
      clearInterval(heartbeat)
      clearTimeout(retry)
    },
  }
}
