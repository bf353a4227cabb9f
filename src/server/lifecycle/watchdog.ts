import { Worker } from 'node:worker_threads'
import type { FastifyBaseLogger } from 'fastify'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { framesIn } from '../failures/describe-thrown.ts'

/** What the thread is given. */
export interface HangThreadInput {
  /** Counted up by the event loop, as long as it goes on. */
  beats: Int32Array
  /** What stands there when a debugger may hold the process. */
  debugged: number
  /** How often to look. */
  checkMs: number
  /** So many times without a beat, and it hangs. */
  checks: number
  /** To be evaluated where the process hangs, with `true` or `false` for the last try behind it in brackets. */
  report: string
}

const CHECKS = 6
const DEBUGGED = -1
const REPORT = 'hydrant.hang'
const MAX_FRAMES = 50

// The compiler does not rewrite this name: it runs as the JavaScript that stands beside.
const THREAD = new URL('./watchdog-thread.js', import.meta.url)

/**
 * Has a thread look whether the event loop goes on. When it has been held up for so many milliseconds (0: for ever), what
 * holds it up is cut off, and told of with an error whose stack leads there. Returns what ends the watch. One process has one.
 */
export async function startWatchdog(
  hangMs: number,
  log: Pick<FastifyBaseLogger, 'warn'>,
  onHang: (error: Error) => void,
): Promise<() => Promise<void>> {
  // Node.js can be built without it.
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

  /** Called on top of what holds up the process. False when that has nothing of the site in it, and there is another try. */
  function report(isLast: boolean): boolean {
    const error = createHydrantError('HYD_HUNG', [Math.round(hangMs / 1_000)])
    const frames = stackAbove(report).filter((frame) => !frame.includes('(node:') && !frame.includes('at node:'))
    if (frames.length === 0 && !isLast) return false
    error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n')
    onHang(error)
    return true
  }
  Reflect.set(globalThis, Symbol.for(REPORT), report)

  const workerData: HangThreadInput = {
    ...{ beats, debugged: DEBUGGED, checkMs, checks: CHECKS },
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

/** The frames of those who have called a function, without what was evaluated for it. */
function stackAbove(called: (isLast: boolean) => boolean): string[] {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = MAX_FRAMES
  const holder = { stack: '' }
  Error.captureStackTrace(holder, called)
  Error.stackTraceLimit = before
  return framesIn(String(holder.stack)).slice(1)
}
