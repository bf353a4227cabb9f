import type { Worker } from 'node:cluster'
import { type AddressInfo, Socket } from 'node:net'
import type { BuildCopy } from '../build-output/build-copy.ts'
import type { ListenAddress } from '../lifecycle/listen.ts'
import { createRequestMetrics, type RequestMetrics } from '../metrics/request-metrics.ts'
import { type ToPrimary, type ToWorker, unwrap, wrap } from './messages.ts'

/** A worker's end of its channel to the primary. */
export interface PrimaryChannel {
  /** Resolves when the message has been sent, or when the channel is closed. */
  send(message: ToPrimary): Promise<void>
  isOpen(): boolean
  listen(listener: (message: ToWorker) => void): void
  /** Calls `listener` with each connection that the primary hands over. */
  onConnection(listener: (socket: Socket) => void): void
  /** Calls `listener` when the primary has exited. */
  onClose(listener: () => void): void
  /** Resolves with the build that the primary has read; null if it could not be read. */
  findBuild(): Promise<BuildCopy | null>
  /** Resolves with the address at which the primary listens. Rejects with the system's error when it cannot. */
  findAddress(wanted: ListenAddress): Promise<AddressInfo | string>
  /** Resolves when the primary hands over no more connections, and none is on its way. */
  untilReleased(): Promise<void>
}

type Kind = ToWorker['kind']
type MessageOf<K extends Kind> = Extract<ToWorker, { kind: K }>

export function createPrimaryChannel(worker: Worker): PrimaryChannel {
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
    onConnection(listener) {
      process.on('message', (sent, socket) => {
        if (unwrap<ToWorker>(sent)?.kind !== 'connection') return
        // Node.js passes no socket when the connection was closed on its way.
        if (socket instanceof Socket) listener(socket)
        void send({ kind: 'took' })
      })
    },
    onClose(listener) {
      worker.on('disconnect', () => {
        // Without this, Node.js ends the process at once, with the requests that are in flight.
        worker.exitedAfterDisconnect = true
        listener()
      })
    },
    async findAddress({ port, host, socket }) {
      const found = waitFor(worker, 'listening', 'unable')
      void send({ kind: 'listen', where: { port, host, socket } })
      const message = await found
      if (message === null) throw new Error('the primary has exited')
      if (message.kind === 'listening') return message.address
      throw Object.assign(new Error(message.message), { code: message.code })
    },
    async findBuild() {
      const found = waitFor(worker, 'build')
      void send({ kind: 'askBuild' })
      return (await found)?.build ?? null
    },
    async untilReleased() {
      const released = waitFor(worker, 'released')
      void send({ kind: 'closed' })
      await released
    },
  }
}

/** Resolves with the next message of these kinds; with null when the channel is closed before. */
function waitFor<K extends Kind>(worker: Worker, ...kinds: readonly K[]): Promise<MessageOf<K> | null> {
  const isWanted = (message: ToWorker): message is MessageOf<K> => kinds.some((kind) => kind === message.kind)
  return new Promise((resolve) => {
    function settle(message: MessageOf<K> | null) {
      process.off('message', onMessage)
      worker.off('disconnect', onDisconnect)
      resolve(message)
    }
    function onMessage(sent: unknown) {
      const message = unwrap<ToWorker>(sent)
      if (message && isWanted(message)) settle(message)
    }
    const onDisconnect = () => settle(null)
    process.on('message', onMessage)
    worker.on('disconnect', onDisconnect)
    if (!worker.isConnected()) settle(null)
  })
}

/** A worker that is killed takes the counts of this time with it, and the times since the primary has asked for them. */
const SEND_INTERVAL_MS = 1_000

/** The metrics of a worker, which it sends to the primary. */
export interface WorkerMetrics extends Pick<RequestMetrics, 'recorder' | 'countFailure'> {
  /** Begins to send the counts, at intervals and when the primary asks for them. */
  open(): void
  /** Sends the counts for the last time. */
  close(): Promise<void>
}

export function createWorkerMetrics(channel: PrimaryChannel, release = ''): WorkerMetrics {
  const { recorder, countFailure, read, readWithoutTimes, watchSteps } = createRequestMetrics(release)
  let timer: NodeJS.Timeout | undefined
  let stopWatching = () => {}

  return {
    recorder,
    countFailure,
    open() {
      stopWatching = watchSteps()
      timer = setInterval(
        () => void channel.send({ kind: 'counts', counts: readWithoutTimes() }),
        SEND_INTERVAL_MS,
      ).unref()
      const loading = import('../metrics/process-metrics.ts').then(({ measureProcess }) => measureProcess())
      channel.listen(async (message) => {
        if (message.kind !== 'count') return
        const readMetrics = await loading
        await channel.send({ kind: 'metrics', id: message.id, metrics: await readMetrics(), counts: read() })
      })
    },
    async close() {
      clearInterval(timer)
      stopWatching()
      await channel.send({ kind: 'counts', counts: read() })
    },
  }
}
