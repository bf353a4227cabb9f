import type { Socket } from 'node:net'
import type { WorkerProcess } from './worker-process.ts'

/**
 * Connections that may be on their way to a worker. With two, a worker does not wait for the next one, and a busy
 * worker gets no more.
 */
const MAX_IN_TRANSIT = 2

/** Hands each connection to a worker that is free. */
export interface ConnectionDistributor {
  take(socket: Socket): void
  /** Adds a worker that takes connections from now on. */
  add(worker: WorkerProcess): void
  /** Notes that a worker has taken one connection, and is free for another. */
  free(worker: WorkerProcess): void
  /** Removes a worker that takes no more connections. */
  remove(worker: WorkerProcess): void
  /** Holds back all connections until `end` is called. */
  hold(): void
  /**
   * Hands out the connections that wait. Resolves when none waits. They are closed when no worker is left. Must be
   * called after the last `take`.
   */
  end(): Promise<void>
}

export function createConnectionDistributor(): ConnectionDistributor {
  const workers = new Set<WorkerProcess>()
  /** The workers that are free, in the order in which they became free: all get their turn. */
  let free: WorkerProcess[] = []
  const waiting: Socket[] = []
  let isHeld = false
  let onEmpty: (() => void) | null = null

  function distribute() {
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
      distribute()
    },
    add(worker) {
      workers.add(worker)
      for (let count = 0; count < MAX_IN_TRANSIT; count++) free.push(worker)
      distribute()
    },
    free(worker) {
      if (workers.has(worker)) free.push(worker)
      distribute()
    },
    remove(worker) {
      workers.delete(worker)
      free = free.filter((other) => other !== worker)
      distribute()
    },
    hold() {
      isHeld = true
    },
    end() {
      isHeld = false
      return new Promise((resolve) => {
        onEmpty = resolve
        distribute()
      })
    },
  }
}
