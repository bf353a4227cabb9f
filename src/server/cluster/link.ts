import type { Worker } from 'node:cluster'
import { type ToPrimary, type ToWorker, unwrap, wrap } from './messages.ts'

/** A worker's end of its channel to the primary. */
export interface Link {
  /** Resolves when it is on its way, or when there is no primary any more. */
  send(message: ToPrimary): Promise<void>
  isOpen(): boolean
  listen(listener: (message: ToWorker) => void): void
  /** The primary has died. */
  onClose(listener: () => void): void
}

export function createLink(worker: Worker): Link {
  return {
    send: (message) =>
      new Promise((resolve) => {
        if (worker.isConnected()) worker.process.send(wrap(message), () => resolve())
        else resolve()
      }),
    isOpen: () => worker.isConnected(),
    listen(listener) {
      process.on('message', (sent) => {
        const message = unwrap<ToWorker>(sent)
        if (message) listener(message)
      })
    },
    onClose(listener) {
      worker.on('disconnect', () => {
        // Otherwise Node.js ends the process at once, with the requests that are in flight.
        worker.exitedAfterDisconnect = true
        listener()
      })
    },
  }
}
