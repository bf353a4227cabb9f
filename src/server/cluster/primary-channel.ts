import type { Worker } from 'node:cluster'
import { type AddressInfo, Socket } from 'node:net'
import { type ToPrimary, type ToWorker, unwrap, type Where, wrap } from './messages.ts'

/** A worker's end of its channel to the primary. */
export interface PrimaryChannel {
  /** Resolves when it is on its way, or when there is no primary any more. */
  send(message: ToPrimary): Promise<void>
  isOpen(): boolean
  /** Where the primary listens. Rejects with what the system says when it cannot. */
  findAddress(where: Where): Promise<AddressInfo | string>
  /** From now on each connection that the primary hands over. */
  onConnection(listener: (socket: Socket) => void): void
  listen(listener: (message: ToWorker) => void): void
  /** The primary has died. */
  onClose(listener: () => void): void
  /** Resolves when the primary hands over no more connections, and none is on its way. */
  untilReleased(): Promise<void>
}

export function createLink(worker: Worker): PrimaryChannel {
  const send: PrimaryChannel['send'] = (message) =>
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
    findAddress: ({ port, host, socket }) =>
      new Promise((resolve, reject) => {
        worker.once('disconnect', () => reject(new Error('the primary has exited')))
        process.on('message', (sent) => {
          const message = unwrap<ToWorker>(sent)
          if (message?.kind === 'listening') resolve(message.address)
          if (message?.kind === 'unable') reject(Object.assign(new Error(message.message), { code: message.code }))
        })
        void send({ kind: 'listen', where: { port, host, socket } })
      }),
    onConnection(listener) {
      process.on('message', (sent, socket) => {
        if (unwrap<ToWorker>(sent)?.kind !== 'connection') return
        // One that has broken off meanwhile does not come.
        if (socket instanceof Socket) listener(socket)
        void send({ kind: 'took' })
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
