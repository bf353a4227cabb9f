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
