import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { type AppSite, findAppSites } from '../context/app-sites.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { framesIn } from '../failures/describe-thrown.ts'

/** The data that the thread gets. */
export interface WatchdogInput {
  /** A counter that the event loop increments while it runs. */
  beats: Int32Array
  /** The value of the counter while a debugger may have paused the process. */
  debugged: number
  /** Milliseconds between two checks. */
  checkMs: number
  /** The number of checks without a beat after which the event loop counts as blocked. */
  checks: number
  /** Milliseconds to wait for a pause, which V8 cannot make in `execSync` or on a dead network disk. */
  pauseMs: number
  /** The function to call in the blocking code, as JavaScript. Its argument is true for the last try. */
  report: string
  /** Reports the code that blocks, and lets it run. */
  isReportOnly: boolean
}

const CHECKS = 6
const PAUSE_MS = 5_000
const DEBUGGED = -1
const REPORT = 'hydrant.hang'
const MAX_FRAMES = 50

// The compiler does not rewrite the extension in this text.
const THREAD = new URL('./watchdog-thread.js', import.meta.url)

/**
 * Starts a thread that watches the event loop. When the event loop is blocked for `hangMs` milliseconds (0: never), the
 * thread interrupts the code that blocks it, and calls `onHang` with HYD_HUNG, whose stack leads to that code. With
 * `isReportOnly`, the code then continues, and `onHang` is called again and again until the event loop runs. Returns a
 * function that ends the watch. A process can have only one watchdog. When the code cannot be paused within `pauseMs`, and
 * not only reports are wanted, the process is killed.
 */
export async function startWatchdog(
  hangMs: number,
  log: Pick<FastifyBaseLogger, 'warn'>,
  onHang: (error: Error) => void,
  isReportOnly = false,
  pauseMs = PAUSE_MS,
): Promise<() => Promise<void>> {
  // Node.js can be built without the inspector.
  if (hangMs === 0 || !process.features.inspector) return async () => {}
  const { url: debuggerUrl } = await import('node:inspector')
  const checkMs = hangMs / CHECKS
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let count = 0
  function beat() {
    count = (count + 1) % 1_000
    Atomics.store(beats, 0, debuggerUrl() === undefined ? count : DEBUGGED)
  }
  beat()
  const timer = setInterval(beat, checkMs).unref()
  Reflect.set(globalThis, Symbol.for(REPORT), createReport(hangMs, onHang))

  const workerData: WatchdogInput = {
    beats,
    debugged: DEBUGGED,
    checkMs,
    checks: CHECKS,
    pauseMs,
    isReportOnly,
    report: `globalThis[Symbol.for(${JSON.stringify(REPORT)})]`,
  }
  const worker = new Worker(THREAD, { workerData, name: 'hydrant-hang', execArgv: [] })
  worker.on('error', (err) => log.warn({ err }, 'the event-loop watchdog has stopped'))
  worker.unref()
  return async () => {
    clearInterval(timer)
    await worker.terminate()
  }
}

type Report = (isLast: boolean) => boolean

/** Returns the function that the thread calls in blocking code; false, to try again, in a stack of Node.js only. */
function createReport(hangMs: number, onHang: (error: Error) => void): Report {
  return function report(isLast) {
    const error = createHydrantError('HYD_HUNG', [hangMs / 1_000])
    const frames = stackAbove(report).filter((frame) => !frame.includes('(node:') && !frame.includes('at node:'))
    if (frames.length === 0 && !isLast) return false
    error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n')
    onHang(error)
    return true
  }
}

/** Returns the frames of a function's callers, without the frame of the code that the debugger evaluates. */
function stackAbove(called: Report): string[] {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = MAX_FRAMES
  const holder = { stack: '' }
  Error.captureStackTrace(holder, called)
  Error.stackTraceLimit = before
  return framesIn(String(holder.stack)).slice(1)
}

/** Milliseconds that a failure has to reach the ledger, before the process may end. */
const KEEP_MS = 3_000

/** The apps of this process that are watched, with their deadlines in milliseconds. One watchdog serves all of them. */
const watched = new Map<FastifyInstance, number>()
let watchedMs: number | undefined
let stopWatchdog = async () => {}
let changing: Promise<void> = Promise.resolve()

/**
 * Watches the event loop while an app runs: interrupts code that blocks it for `hangMs` milliseconds (0: never), and
 * reports a failure of the site whose code it is. Then throws the error as an uncaught exception, so that the app
 * decides how its process ends. When several sites of a process are watched, the deadline of the first one counts.
 */
export function addWatchdog(app: FastifyInstance, hangMs: number) {
  if (hangMs === 0) return
  app.addHook('onReady', () => {
    watched.set(app, hangMs)
    return updateWatchdog()
  })
  app.addHook('onClose', () => {
    watched.delete(app)
    return updateWatchdog()
  })
}

function updateWatchdog(): Promise<void> {
  changing = changing.catch(() => {}).then(restartWatchdog)
  return changing
}

async function restartWatchdog() {
  const [first] = watched
  if (first?.[1] === watchedMs) return
  await stopWatchdog()
  stopWatchdog = first ? await startWatchdog(first[1], first[0].log, reportHang) : async () => {}
  watchedMs = first?.[1]
}

function reportHang(error: Error) {
  const found = findSite(error)
  if (!found) return
  found.site.failures.failProcess(error, found.app.log)
  // The event loop does not run here.
  setImmediate(() => void throwUncaught(error, found.site))
}

/** Finds the site whose build is in the stack. Code that belongs to no site counts for the first one. */
function findSite({ stack = '' }: Error): { app: FastifyInstance; site: AppSite } | undefined {
  const all = [...watched.keys()].flatMap((app) => findAppSites(app).map((site) => ({ app, site })))
  return all.find(({ site }) => stack.includes(site.folder)) ?? all[0]
}

async function throwUncaught(error: Error, { store }: AppSite) {
  await Promise.race([store.writer.flush(), wait(KEEP_MS, undefined, { ref: false })])
  // The error is thrown in a callback, because apps handle an unhandled rejection differently.
  setImmediate(() => {
    throw error
  })
}
