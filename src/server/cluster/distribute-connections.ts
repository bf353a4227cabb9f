import type { Socket } from 'node:net'
import type { WorkerProcess } from './worker-process.ts'

/** How many are on their way to a worker: it need not wait for the next one, and who is busy gets no more. */
const MOST_ON_THEIR_WAY = 2

/** Hands connections to workers that are free for them. */
export interface ConnectionDistributor {
  take(socket: Socket): void
  /** The worker takes connections from now on. */
  add(worker: WorkerProcess): void
  /** The worker has taken one, and is free for another. */
  free(worker: WorkerProcess): void
  /** The worker takes no more of them. */
  remove(worker: WorkerProcess): void
  /** Keeps what comes until `end`. */
  hold(): void
  /** Nothing comes any more. Resolves when all connections are with workers. Those that no worker is there for are closed. */
  end(): Promise<void>
}

export function createConnectionDistributor(): ConnectionDistributor {
  const workers = new Set<WorkerProcess>()
  /** Who takes the next ones: in the order in which they became free, so that all have their turn. */
  let free: WorkerProcess[] = []
  const waiting: Socket[] = []
  let isHeld = false
  let onEmpty: (() => void) | null = null

  function next() {
    if (isHeld) return
    while (free.length > 0) {
      const socket = waiting.shift()
      if (!socket) break
      free.shift()?.hand(socket)
    }
    if (onEmpty === null) return
    if (workers.size === 0) for (const socket of waiting.splice(0)) socket.destroy()
    if (waiting.length === 0) onEmpty()
  }

  return {
    take(socket) {
      waiting.push(socket)
      next()
    },
    add(worker) {
      workers.add(worker)
      for (let count = 0; count < MOST_ON_THEIR_WAY; count++) free.push(worker)
      next()
    },
    free(worker) {
      if (workers.has(worker)) free.push(worker)
      next()
    },
    remove(worker) {
      workers.delete(worker)
      free = free.filter((other) => other !== worker)
      next()
    },
    hold() {
      isHeld = true
    },
    end() {
      isHeld = false
      return new Promise((resolve) => {
        onEmpty = resolve
        next()
      })
    },
  }
}
