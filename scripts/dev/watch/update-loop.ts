import type { Change } from './change-batch.ts'

/**
 * Applies changes, one batch after another. A batch has all changes that arrived while the previous batch was applied.
 */
export interface UpdateLoop {
  add(changes: readonly Change[]): void
  /** Resolves when all changes have been applied. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface UpdateLoopInput {
  /** Must not reject. */
  apply(changes: readonly Change[]): Promise<void>
  /** Called when there has been no change for a while. A change does not wait for it. Must not reject. */
  rest(): Promise<void>
}

/** How long after the last change `rest` is called. */
const REST_MS = 300

export function createUpdateLoop({ apply, rest }: UpdateLoopInput): UpdateLoop {
  let waiting: Change[] = []
  let running: Promise<void> | null = null
  let resting = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function run() {
    while (waiting.length > 0 && !isClosed) {
      const changes = waiting
      waiting = []
      await apply(changes)
    }
    running = null
    if (isClosed) return
    timer = setTimeout(() => {
      resting = resting.then(rest)
    }, REST_MS)
  }

  return {
    add(changes) {
      clearTimeout(timer)
      waiting.push(...changes)
      running ??= run()
    },
    async settled() {
      while (running) await running
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
      await resting
    },
  }
}
