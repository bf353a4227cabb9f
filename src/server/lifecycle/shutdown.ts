import { setTimeout as wait } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { RESERVED_PATH, withBase } from '../../shared/paths.ts'
import type { Failures } from '../failures/failures.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import { HEALTH_ROUTE, HIDDEN, ownPath } from '../http/route-config.ts'
import type { Options } from '../options/options.ts'
import { timerMs } from '../util/deadline.ts'
import type { ConnectionDrain } from './drain-connections.ts'
import { describeDelay } from './in-flight.ts'

/** Milliseconds that failures have to reach the ledger, after the requests have had their time. */
export const KEEP_MS = 3_000

/** The signals of POSIX that a terminal or a supervisor sends to all processes of a group. */
const POSIX_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const

/** SIGBREAK is Ctrl+Break on Windows. Other systems never send it. */
const SIGNALS = [...POSIX_SIGNALS, 'SIGBREAK'] as const

type StopSignal = (typeof SIGNALS)[number] | 'SIGUSR2'

/**
 * The signals of a crash in native code, which must end the process at once. With a listener, the process would repeat
 * the instruction that crashed and never end (https://nodejs.org/api/process.html#signal-events).
 */
const CRASH_SIGNALS = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP'] as const

/** What close-with-grace must not listen to: each signal has its own listener, or none. */
export const ALL_SIGNALS = [...POSIX_SIGNALS, ...CRASH_SIGNALS, 'SIGUSR2'] as const

/**
 * Returns the signals that ask a server to stop. SIGUSR2 is none if Node.js or the site listens to it, as with
 * `--heapsnapshot-signal=SIGUSR2` and `--report-on-signal`.
 */
function stopSignals(): StopSignal[] {
  return process.listenerCount('SIGUSR2') > 0 ? [...SIGNALS] : [...SIGNALS, 'SIGUSR2']
}

/** Milliseconds in which a signal that arrives again is a copy. */
const COPY_MS = 200

/**
 * Calls a function for each signal that asks a server to stop. Yarn passes a signal on that a terminal or systemd has sent
 * to all processes already: such a copy does not count. Returns a function that removes the listeners.
 *
 * @param except Signals that are left to other listeners.
 */
export function listenToStop(onStop: (signal: StopSignal) => void, except: readonly StopSignal[] = []): () => void {
  const signals = stopSignals().filter((signal) => !except.includes(signal))
  let last: { signal: StopSignal; at: number } | null = null
  function onSignal(signal: StopSignal) {
    const now = performance.now()
    if (last?.signal === signal && now - last.at < COPY_MS) return
    last = { signal, at: now }
    onStop(signal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
}

export interface ShutdownTarget {
  app: FastifyInstance
  connections: ConnectionDrain
  failures: Pick<Failures, 'failProcess'>
  health: Health
  /** Resolves when every `onFailure` call has returned. */
  settleFailures(): Promise<void>
}

export interface StopRequest {
  /** Milliseconds that it continues to take requests, while `ready` responds with 503. */
  delayMs: number
  /** Do others continue to serve at the same address? */
  othersServe: boolean
}

export interface ShutdownOptions {
  /** Called one after the other, when the app is closed or has missed its deadline. */
  closers: readonly (() => Promise<void>)[]
  /** Called before the app is closed (nothing). */
  closeFirst?(): Promise<void>
  /** Ignores the signals, because the primary handles them (false). */
  ignoresSignals?: boolean
  /** Called when an uncaught exception begins to end the process (nothing). */
  onFail?(): void
  /** Do others continue to serve at the same address after an uncaught exception? (false) */
  othersServe?: boolean
}

/**
 * Handles signals and uncaught exceptions: finishes the requests in flight and ends the process. It ends with 0 after a
 * signal. It ends with 1 after an uncaught exception, or when the requests are not finished within `drainMs`. An
 * exception during the shutdown is reported as a failure too.
 */
export function handleShutdown(
  target: ShutdownTarget,
  { drainMs, stopDelayMs, loadMs }: Options['timeouts'],
  options: ShutdownOptions,
) {
  const { app, failures } = target
  const { ignoresSignals = false, onFail, othersServe = false } = options
  const rejections = watchRejections(loadMs, fail)
  const drain = createDrain(target, drainMs, options)
  let isStopping = false
  let exitCode = 0
  let stopRequest: StopRequest = { delayMs: 0, othersServe }
  let stopSignal: string | null = null

  async function finish(how: StopRequest) {
    isStopping = true
    // `onFailure` and the ledger get no more failures after the app has closed.
    rejections.stopWaiting()
    if (!(await drain(how))) exitCode = 1
    if (exitCode !== 0) process.exit(exitCode)
  }

  const shutdown = closeWithGrace(
    {
      delay: timerMs(stopDelayMs + drainMs + KEEP_MS),
      logger: app.log,
      // close-with-grace ends the process with 0 when `undefined` is thrown, and logs a second exception without its
      // digest.
      skip: [...ALL_SIGNALS, 'uncaughtException', 'unhandledRejection'],
    },
    async () => {
      if (stopSignal === null) return finish(stopRequest)
      app.log.info({ signal: stopSignal }, 'stopping: waiting for the requests in flight')
      await finish({ delayMs: stopDelayMs, othersServe: false })
      app.log.info('stopped: all requests are finished')
    },
  )

  function fail(thrown: unknown) {
    exitCode = 1
    failures.failProcess(thrown, app.log)
    if (isStopping) return
    shutdown.close()
    onFail?.()
  }
  function onStop(signal: string) {
    if (isStopping) {
      app.log.error(`second ${signal}, exiting`)
      process.exit(1)
    }
    stopSignal = signal
    shutdown.close()
  }
  // A signal without a listener ends the process.
  if (ignoresSignals) for (const signal of SIGNALS) process.on(signal, () => {})
  const ignoreStop = listenToStop(onStop, ignoresSignals ? SIGNALS : [])
  process.on('uncaughtException', fail)
  return {
    /** Stops the server as a signal does. */
    stop(how: StopRequest) {
      if (isStopping) return
      stopRequest = how
      shutdown.close()
    },
    /** Stops the server as an uncaught exception does. */
    fail,
    /** Removes all handlers of signals and exceptions. */
    detach() {
      process.off('uncaughtException', fail)
      rejections.detach()
      ignoreStop()
      shutdown.uninstall()
    },
  }
}

/** Returns the function that stops and closes everything; false if requests were not finished within `drainMs`. */
function createDrain(
  { app, connections, health, settleFailures }: ShutdownTarget,
  drainMs: number,
  { closers, closeFirst }: ShutdownOptions,
) {
  let closed: Promise<void> | null = null

  async function callClosers() {
    for (const close of closers) await close()
  }

  function closeStores() {
    closed ??= callClosers()
    return closed
  }

  async function closeAll() {
    // The listening socket first: the other steps must not delay it.
    await connections.stopListening()
    await closeFirst?.()
    await app.close()
    await closeStores()
  }

  return async (how: StopRequest): Promise<boolean> => {
    health.stop(how)
    connections.endKeepAlive()
    if (how.delayMs > 0) await wait(how.delayMs)
    const isDone = await Promise.race([closeAll().then(() => true), wait(drainMs, false)])
    if (isDone) return true
    app.log.error(describeDelay(connections.sockets(), drainMs))
    await Promise.all([settleFailures(), closeStores()])
    return false
  }
}

/** The health of a server, as load balancers and supervisors see it. */
export type Health = ReturnType<typeof addHealthRoutes>

/** Adds `live`, which says that the process responds, and `ready`, which says whether it wants requests. */
export function addHealthRoutes(app: FastifyInstance, base: string) {
  let isStopping = false
  let isReady = true

  function stop({ othersServe }: { othersServe: boolean }) {
    if (isStopping) return
    isStopping = true
    isReady = othersServe
  }

  function add(name: string, check: () => [status: number, text: string]) {
    const url = ownPath(app, withBase(base, `${RESERVED_PATH}/${name}`))
    app.get(url, { config: HEALTH_ROUTE, schema: HIDDEN }, (_request, reply) => {
      const [status, text] = check()
      limitCaching(reply, 'no-store')
      return reply.code(status).header('cache-control', NO_STORE).type('text/plain; charset=utf-8').send(`${text}\n`)
    })
  }

  app.addHook('preClose', (done) => {
    stop({ othersServe: false })
    done()
  })
  add('live', () => [200, 'live'])
  add('ready', () => (isReady ? [200, 'ready'] : [503, 'stopping']))
  return {
    /** Makes `ready` respond with 503 from now on, unless others serve here. Only the first call counts. */
    stop,
  }
}

/** The longest time for which a promise may stay without a handler, in milliseconds. */
const MAX_PATIENCE_MS = 10_000

/**
 * Calls `onUnhandled` with the reason of each promise that has rejected and that nothing handles within `patienceMs`, or
 * within 10 seconds if that is less. A load may create a promise, wait for other data, and return the promise only then:
 * if it rejects meanwhile, Node.js reports it as unhandled, and the load's caller handles it later.
 */
export function watchRejections(patienceMs: number, onUnhandled: (reason: unknown) => void) {
  let isWaiting = true
  const waiting = new Map<Promise<unknown>, { reason: unknown; timer: NodeJS.Timeout }>()

  function report(promise: Promise<unknown>) {
    const entry = waiting.get(promise)
    if (!entry) return
    clearTimeout(entry.timer)
    waiting.delete(promise)
    onUnhandled(entry.reason)
  }

  function wait(reason: unknown, promise: Promise<unknown>) {
    if (!isWaiting) return onUnhandled(reason)
    const timer = setTimeout(report, Math.min(patienceMs, MAX_PATIENCE_MS), promise)
    waiting.set(promise, { reason, timer })
  }

  function forget(promise: Promise<unknown>) {
    clearTimeout(waiting.get(promise)?.timer)
    waiting.delete(promise)
  }

  process.on('unhandledRejection', wait).on('rejectionHandled', forget)
  return {
    /** Passes on the reasons that are waiting, and further ones at once. */
    stopWaiting() {
      isWaiting = false
      for (const promise of waiting.keys()) report(promise)
    },
    /** Removes the listeners. */
    detach() {
      process.off('unhandledRejection', wait).off('rejectionHandled', forget)
      for (const promise of waiting.keys()) forget(promise)
    },
  }
}
