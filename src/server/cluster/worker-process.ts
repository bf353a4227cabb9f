import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServedBuild } from '../build-output/served-build.ts'
import { KEEP_MS, type StopRequest } from '../lifecycle/shutdown.ts'
import { writeLogLines } from '../log/output.ts'
import { timerMs } from '../util/timer-ms.ts'
import { forwardLines } from './forward-lines.ts'
import { createLastReport } from './last-report.ts'
import { SUCCESSOR_VARIABLE, type ToPrimary, type ToWorker, unwrap, WORKER_VARIABLE, wrap } from './messages.ts'

/** Milliseconds to wait for the last lines of a worker. Child processes of it may keep its outputs open forever. */
const LAST_LINES_MS = 1_000

/** A worker, as the primary sees it. */
export interface WorkerProcess {
  /** The worker's number, from 1. A successor has the number of the worker that it replaces. */
  name: string
  pid: number
  /** Resolves with the addresses at which the worker serves; with null when it has ended before. */
  ready: Promise<readonly string[] | null>
  isReady(): boolean
  /** The build that the worker serves. Empty before it is ready. */
  served(): ServedBuild
  /** Says which requests were in flight at the last report of the worker, for the log. */
  describeRequests(): string
  /** Resolves when the process has ended and its output has been forwarded. */
  ended: Promise<End>
  send(message: ToWorker): void
  /** Hands over a connection. Messages that are sent later arrive later. */
  hand(socket: Socket): void
  /**
   * Tells the worker to stop, and kills it when it has not ended some seconds after `deadlineMs`. Kills it at once when
   * it is not ready. Resolves with how it ended.
   */
  stop(how: StopRequest, deadlineMs: number): Promise<End>
  /** Kills the process with SIGKILL. */
  kill(): void
}

/** How a process ended. */
export interface End {
  /** Null when a signal has ended the process. */
  code: number | null
  signal: string | null
}

export interface Output {
  stdout: Writable
  stderr: Writable
}

export type MessageListener = (message: ToPrimary, worker: WorkerProcess) => void

/**
 * Starts the command of this process again, as a worker. A successor is a worker that starts while others serve: an
 * error that keeps it from starting becomes a failure.
 */
export function forkWorker(
  name: string,
  isSuccessor: boolean,
  output: Output,
  listener: MessageListener,
): WorkerProcess {
  const forked = cluster.fork({ [WORKER_VARIABLE]: name, ...(isSuccessor ? { [SUCCESSOR_VARIABLE]: 'true' } : {}) })
  const { process: child } = forked
  const { stdout, stderr } = child
  // When a stream breaks, there is nothing left to forward. The end of the process is reported elsewhere.
  if (stdout) void forwardLines(stdout, output.stdout, writeLogLines).catch(() => {})
  if (stderr) void forwardLines(stderr, output.stderr).catch(() => {})
  let isReady = false
  let served: ServedBuild = { release: '', build: '' }
  const lastReport = createLastReport()
  const ended = untilEnded(forked)
  const ready = new Promise<readonly string[] | null>((resolve) => {
    void ended.then(() => resolve(null))
    forked.on('message', (sent: unknown) => {
      const message = unwrap<ToPrimary>(sent)
      if (message?.kind === 'ready') {
        isReady = true
        served = message.served
        resolve(message.addresses)
      } else if (message?.kind === 'inFlight') lastReport.take(message.inFlight)
      else if (message) listener(message, worker)
    })
  })
  const kill = () => void child.kill('SIGKILL')
  const worker: WorkerProcess = {
    name,
    ready,
    ended,
    kill,
    pid: child.pid ?? 0,
    isReady: () => isReady,
    served: () => served,
    describeRequests: lastReport.describe,
    // An error here means that the worker has ended, which `ended` reports.
    send: (message) => void (forked.isConnected() && child.send(wrap(message), () => {})),
    hand(socket) {
      if (forked.isConnected()) child.send(wrap({ kind: 'connection' }), socket, () => {})
      else socket.destroy()
    },
    stop(how, deadlineMs) {
      if (isReady) {
        worker.send({ kind: 'stop', how })
        // A healthy worker keeps the deadline itself. This kills one that is stuck.
        const timer = setTimeout(kill, timerMs(deadlineMs + 2 * KEEP_MS))
        void ended.then(() => clearTimeout(timer))
      } else kill()
      return ended
    },
  }
  return worker
}

async function untilEnded({ process: child }: Worker): Promise<End> {
  const closed = once(child, 'close')
  // The arguments of this event, which Node's types leave open.
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  await Promise.race([closed, wait(LAST_LINES_MS, undefined, { ref: false })])
  return { code, signal }
}
