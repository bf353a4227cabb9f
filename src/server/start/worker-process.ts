import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { BuildCopy, ServedBuild } from '../build-output/build-copy.ts'
import type { InFlight } from '../lifecycle/in-flight.ts'
import { KEEP_MS, type StopRequest } from '../lifecycle/shutdown.ts'
import { writeLogLines } from '../log/output.ts'
import { countOf } from '../log/throttled-line.ts'
import { timerMs } from '../util/deadline.ts'
import {
  BEAT_MS,
  SUCCESSOR_VARIABLE,
  type ToPrimary,
  type ToWorker,
  unwrap,
  WORKER_VARIABLE,
  wrap,
} from './messages.ts'

/** Milliseconds to wait for the last lines of a worker. Child processes of it may keep its outputs open forever. */
const LAST_LINES_MS = 1_000
/** A busy machine delays beats. */
const LATE_BEATS = 3

/** What a worker starts from. It stays the same for all workers, whatever happens on the disk, until a reload. */
export interface WorkerSource {
  /** Null when the build could not be read. The worker then says why. */
  build: BuildCopy | null
  /** The whole environment. */
  env: NodeJS.ProcessEnv
}

/** A worker, as the primary sees it. */
export interface WorkerProcess {
  /** The worker's number, from 1. A successor has the number of the worker that it replaces. */
  name: string
  /** What the worker has started from. */
  source: WorkerSource
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
  /** Hands over a copy of an open connection, before later messages. Does nothing after the worker's end. */
  hand(socket: Socket): void
  /** Stops the worker, or kills it if not ready or some seconds after `deadlineMs`. Resolves with its end. */
  stop(how: StopRequest, deadlineMs: number): Promise<End>
  /** Kills the process with SIGKILL. */
  kill(): void
}

export interface End {
  /** Null when a signal has ended the process, or the system has not created it. */
  code: number | null
  signal: string | null
  /** Why the system has not created the process. */
  error?: Error
}

export interface Output {
  stdout: Writable
  stderr: Writable
}

export type MessageListener = (message: ToPrimary, worker: WorkerProcess) => void

export interface ForkInput {
  name: string
  /** Whether other workers serve already: an error that keeps this one from starting then becomes a failure. */
  isSuccessor: boolean
  source: WorkerSource
  output: Output
  listener: MessageListener
  /** The worker is killed when its event loop has not run for twice this time; 0 for never. */
  hangMs: number
  log: Pick<FastifyBaseLogger, 'error'>
}

/** Starts the command of this process again, as a worker. Never throws: `ended` says that there is no process. */
export function forkWorker(input: ForkInput): WorkerProcess {
  const { name, isSuccessor, source, output, listener, hangMs, log } = input
  const created = createProcess({
    // Node.js adds the variables of this process, in which those of the last reload are.
    ...Object.fromEntries(Object.keys(process.env).map((variable) => [variable, undefined])),
    ...source.env,
    [WORKER_VARIABLE]: name,
    ...(isSuccessor ? { [SUCCESSOR_VARIABLE]: 'true' } : {}),
  })
  const child = created instanceof Error ? null : created
  // When a stream breaks, there is nothing left to forward. The end of the process is reported elsewhere.
  if (child?.stdout) void forwardLines(child.stdout, output.stdout, writeLogLines).catch(() => {})
  if (child?.stderr) void forwardLines(child.stderr, output.stderr).catch(() => {})
  let isReady = false
  let served: ServedBuild = { release: '', build: '' }
  const lastReport = createLastReport()
  const ended = untilEnded(created)
  const pid = child?.pid ?? 0
  const kill = () => void (pid !== 0 && child?.kill('SIGKILL'))
  const watch = watchBeats(hangMs, () => {
    log.error({ worker: pid }, `worker ${name} does not respond to the primary: killing it`)
    kill()
  })
  void ended.then(watch.end)
  const ready = new Promise<readonly string[] | null>((resolve) => {
    void ended.then(() => resolve(null))
    child?.on('message', (sent: unknown) => {
      const message = unwrap<ToPrimary>(sent)
      if (message?.kind === 'ready') {
        isReady = true
        served = message.served
        resolve(message.addresses)
      } else if (message?.kind === 'inFlight') lastReport.take(message.inFlight)
      else if (message?.kind === 'beat') watch.beat(message.isDebugged)
      else if (message) listener(message, worker)
    })
  })
  const worker: WorkerProcess = {
    name,
    source,
    ready,
    ended,
    kill,
    pid,
    isReady: () => isReady,
    served: () => served,
    describeRequests: lastReport.describe,
    // An error here means that the worker has ended, which `ended` reports.
    send: (message) => void (child?.connected && child.send(wrap(message), () => {})),
    hand(socket) {
      if (child?.connected) child.send(wrap({ kind: 'connection' }), socket, { keepOpen: true }, () => {})
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

/**
 * Calls `onFrozen` when no beat has come for twice `hangMs`. The watchdog of the worker ends code that blocks it, and says
 * which, after `hangMs`. This one finds what that cannot see: a process that is stopped or waits for a dead disk. It counts
 * its own ticks and not the time, so that a machine that was suspended does not count.
 */
function watchBeats(hangMs: number, onFrozen: () => void) {
  let missed = 0
  let isDebugged = false
  const allowed = Math.ceil((2 * hangMs) / BEAT_MS) + LATE_BEATS
  function tick() {
    if (!isDebugged && ++missed === allowed) onFrozen()
  }
  const timer = hangMs === 0 ? undefined : setInterval(tick, BEAT_MS).unref()
  return {
    beat(isPaused: boolean) {
      missed = 0
      isDebugged = isPaused
    },
    end: () => clearInterval(timer),
  }
}

/** Returns the process of a new worker. The system may refuse it at once, with the error that is returned, or later. */
function createProcess(env: Record<string, string | undefined>): ChildProcess | Error {
  try {
    // The worker repeats the errors of its process, and would throw them without a listener.
    return cluster.fork(env).on('error', () => {}).process
  } catch (error) {
    // Node.js throws errors.
    return error as Error
  }
}

async function untilEnded(created: ChildProcess | Error): Promise<End> {
  if (created instanceof Error) return { code: null, signal: null, error: created }
  const closed = new Promise((resolve) => created.once('close', resolve))
  const end = await new Promise<End>((resolve) => {
    created.once('exit', (code, signal) => resolve({ code, signal }))
    // A process that runs has such errors too, for example when a message cannot be sent to it.
    created.on('error', (error) => created.pid === undefined && resolve({ code: null, signal: null, error }))
  })
  await Promise.race([closed, wait(LAST_LINES_MS, undefined, { ref: false })])
  return end
}

const LINE_BREAK = 0x0a
/** A longer line is forwarded in parts. It is no log line. */
const MAX_LINE_BYTES = 1_048_576

/** Each forwarder would add listeners of its own to the stream. */
const drains = new WeakMap<Writable, Promise<unknown>>()

function untilDrained(to: Writable): Promise<unknown> {
  const drained =
    drains.get(to) ??
    once(to, 'drain')
      .catch(() => {})
      .finally(() => drains.delete(to))
  drains.set(to, drained)
  return drained
}

/** Forwards whole lines, so that processes do not mix. Resolves at the end of `from`. `writeTo` is like `write`. */
export async function forwardLines(from: Readable, to: Writable, writeTo = writePlainly): Promise<void> {
  let begun: Buffer[] = []
  let length = 0
  async function write(bytes: Buffer) {
    // A stream whose reader is gone never drains.
    if (!writeTo(to, bytes) && to.errored === null && !to.destroyed) await untilDrained(to)
  }
  for await (const chunk of from as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_BREAK) + 1
    if (end === 0 && length + chunk.length <= MAX_LINE_BYTES) {
      begun.push(chunk)
      length += chunk.length
      continue
    }
    const whole = end === 0 ? chunk : chunk.subarray(0, end)
    const rest = chunk.subarray(whole.length)
    await write(Buffer.concat([...begun, whole]))
    begun = [rest]
    length = rest.length
  }
  // The process died in the middle of a line.
  if (length > 0) await write(Buffer.concat([...begun, Buffer.from('\n')]))
}

function writePlainly(to: Writable, bytes: Buffer): boolean {
  return to.write(bytes)
}

const MAX_NAMED = 10

function createLastReport() {
  let last: InFlight = new Map()
  let takenAt = 0
  return {
    take(inFlight: InFlight) {
      last = inFlight
      takenAt = performance.now()
    },
    /** Says which requests were in flight, for the log. */
    describe(): string {
      if (last.size === 0) return 'no request was in flight a second before'
      const total = [...last.values()].reduce((sum, count) => sum + count, 0)
      const named = [...last].slice(0, MAX_NAMED).map(([route, count]) => `${count} of ${route}`)
      const more = last.size > MAX_NAMED ? ` and ${countOf(last.size - MAX_NAMED, 'other route')}` : ''
      const ageMs = Math.round(performance.now() - takenAt)
      return `${countOf(total, 'request')} in flight ${ageMs} ms before: ${named.join(', ')}${more}`
    },
  }
}
