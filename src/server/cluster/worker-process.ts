import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServedBuild } from '../build-output/served-build.ts'
import { passLines } from './forward-lines.ts'
import { SUCCESSOR_VARIABLE, type ToPrimary, type ToWorker, unwrap, WORKER_VARIABLE, wrap } from './messages.ts'

/** Programs that it has started may hold its outputs open. */
const LAST_LINES_MS = 1_000

/** A worker, as the primary sees it. */
export interface WorkerProcess {
  /** Its number, from 1; that of the one whose place it took. */
  name: string
  pid: number
  /** Where it listens, once it does; null when it has ended before. */
  ready: Promise<readonly string[] | null>
  isReady(): boolean
  /** What it has of the site, once it is ready. */
  served(): ServedBuild
  /** Resolves when it has ended and all that it had to say has arrived. */
  ended: Promise<End>
  send(message: ToWorker): void
  /** Hands a connection over. What is sent later arrives later. */
  hand(socket: Socket): void
  /** At once. */
  kill(): void
}

export interface End {
  /** Null when a signal has ended it. */
  code: number | null
  signal: string | null
}

export interface Output {
  stdout: Writable
  stderr: Writable
}

export type Listener = (message: ToPrimary, worker: WorkerProcess) => void

/** Starts the command that runs in this process once more, as a worker: as a successor, where others serve already. */
export function forkWorker(name: string, isSuccessor: boolean, output: Output, listener: Listener): WorkerProcess {
  const forked = cluster.fork({ [WORKER_VARIABLE]: name, ...(isSuccessor ? { [SUCCESSOR_VARIABLE]: 'true' } : {}) })
  const { process: child } = forked
  for (const stream of ['stdout', 'stderr'] as const) {
    const from = child[stream]
    // One that breaks has nothing more to say; how the process ended is told elsewhere.
    if (from) void passLines(from, output[stream]).catch(() => {})
  }
  let isReady = false
  let served: ServedBuild = { release: '', build: '' }
  const ended = untilEnded(forked)
  const ready = new Promise<readonly string[] | null>((resolve) => {
    void ended.then(() => resolve(null))
    forked.on('message', (sent: unknown) => {
      const message = unwrap<ToPrimary>(sent)
      if (message?.kind === 'ready') {
        isReady = true
        served = message.served
        resolve(message.addresses)
      } else if (message) listener(message, worker)
    })
  })
  const worker: WorkerProcess = {
    ...{ name, ready, ended },
    pid: child.pid ?? 0,
    isReady: () => isReady,
    served: () => served,
    // A worker that is gone has been heard of already.
    send: (message) => void (forked.isConnected() && child.send(wrap(message), () => {})),
    hand(socket) {
      if (forked.isConnected()) child.send(wrap({ kind: 'connection' }), socket, () => {})
      else socket.destroy()
    },
    kill: () => void child.kill('SIGKILL'),
  }
  return worker
}

async function untilEnded({ process: child }: Worker): Promise<End> {
  const closed = once(child, 'close')
  // Node's own types leave open what the event brings.
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  await Promise.race([closed, wait(LAST_LINES_MS, undefined, { ref: false })])
  return { code, signal }
}
