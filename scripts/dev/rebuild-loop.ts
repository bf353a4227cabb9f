import type { SiteBuild, SiteBuilder } from '../build/site-builder.ts'

/** One build at a time, the last of which has seen every change. */
export interface RebuildLoop {
  /** Builds as soon as can be; a build that is going on would be out of date and is broken off. */
  request(): void
  /** When nothing is being built. */
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
