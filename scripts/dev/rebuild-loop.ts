import type { SiteBuild, SiteBuilder } from '../build/site-builder.ts'

/** Runs one build at a time. The last build includes every change. */
export interface RebuildLoop {
  /** Requests a build. Cancels a running one, because it is out of date. */
  request(): void
  /** Resolves when no build is running. */
  settled(): Promise<void>
  close(): Promise<void>
}

export type BuildOutcome = { build: SiteBuild } | { error: unknown }

export function createRebuildLoop(
  builder: SiteBuilder,
  onOutcome: (outcome: BuildOutcome) => Promise<void>,
): RebuildLoop {
  let isRequested = false
  let isClosed = false
  let running: Promise<void> | null = null

  async function run() {
    while (isRequested && !isClosed) {
      isRequested = false
      const outcome = await builder.compile().then(
        (build): BuildOutcome => ({ build }),
        (error: unknown): BuildOutcome => ({ error }),
      )
      if (!isRequested && !isClosed) await onOutcome(outcome)
    }
    running = null
  }

  return {
    request() {
      isRequested = true
      if (running) void builder.cancel()
      else running = run()
    },
    async settled() {
      while (running) await running
    },
    async close() {
      isClosed = true
      await builder.cancel()
      await running
      await builder.dispose()
    },
  }
}
