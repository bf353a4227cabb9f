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
  /**
   * To be called when no connections are taken any more. Resolves when none is on its way from the primary: those that were
   * have gone back to it, for others to answer. With a process that ends before, they would wait until the primary ends.
   */
  untilReleased(): Promise<void>
}

export function createLink(worker: Worker): Link {
  const send: Link['send'] = (message) =>
    new Promise((resolve) => {
      if (worker.isConnected()) worker.process.send(wrap(message), () => resolve())
      else resolve()
    })
  return {
    send,
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
    untilReleased: () =>
      new Promise((resolve) => {
        if (!worker.isConnected()) return resolve()
        worker.once('disconnect', resolve)
        process.on('message', (sent) => {
          if (unwrap<ToWorker>(sent)?.kind === 'released') resolve()
        })
        void send({ kind: 'closed' })
      }),
  }
}
