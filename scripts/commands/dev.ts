import { resolve } from 'node:path'
import { watchRejections } from '../../src/server/lifecycle/shutdown.ts'
import { startWatchdog } from '../../src/server/lifecycle/watchdog.ts'
import { type Logging, loadPrettyLogging } from '../../src/server/log/logger.ts'
import { wantsColors } from '../../src/server/log/output.ts'
import type { DevError } from '../../src/shared/wire/dev-protocol.ts'
import { type DevServer, handleStopSignals, type StopTimes, startDevServer } from '../dev/dev-server.ts'
import { loadTransform } from '../dev/modules/browser/read-browser-module.ts'
import { type DevView, formatDevError, formatDevRepeat } from '../terminal/format-dev-error.ts'
import { formatWarning } from '../terminal/format-error.ts'
import { formatSource } from '../terminal/format-failure.ts'
import { createPaint } from '../terminal/text.ts'
import type { CommandInput } from './command-input.ts'
import { formatDuration } from './format-report.ts'

interface DevTimes extends StopTimes {
  /** Milliseconds without a reaction after which the event loop counts as blocked. */
  blockedMs: number
}

const TIMES: DevTimes = { blockedMs: 3_000, deadlineMs: 2_000, returnMs: 1_000 }
/** How long a promise that has rejected may wait for its handler: a load can return it later. */
const HANDLED_MS = 1_000
const BUNDLING = 'bundling the packages of the site; the next start uses the result again'

/** Runs `hydrant dev` until a signal ends the process. */
export async function runDev({ dir, flags: { poll, ...flags }, note }: CommandInput, times = TIMES): Promise<void> {
  const signals = handleStopSignals((text) => console.error(text), times)
  // The terminal is gone, so no message can be shown. An uncaught error would be written again and again.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => process.exit(1))
  // chokidar reads the variable; containers set it without the flag.
  if (poll !== undefined) process.env.CHOKIDAR_USEPOLLING = poll
  if (note !== null) console.error(note)
  let server: DevServer | null = null
  await watchEventLoop(times.blockedMs, (error) => {
    if (!signals.release()) return
    // Rewrites the stack to positions in the source.
    const source = server?.findSource(error) ?? null
    const [, ...frames] = error.stack?.split('\n') ?? []
    console.error([warnOfBlock(times.blockedMs), ...(source ? formatSource(source, PLAIN) : frames), ''].join('\n'))
  })
  const createLogging = await loadDevLogging()
  // A warning is printed once, not with each update.
  let lastWarnings: ReadonlySet<string> = new Set()
  // Waits until the server listens: if it cannot, only the reason matters.
  const waiting: (() => void)[] = []
  let print = (write: () => void) => {
    waiting.push(write)
  }
  const started = await startDevServer({
    dir,
    flags,
    env: process.env,
    createLogging: ({ logLevel }) => createLogging(logLevel),
    onWarnings(found) {
      const warnings = new Set(found.map(formatWarning))
      for (const warning of warnings) if (!lastWarnings.has(warning)) print(() => console.error(`${warning}\n`))
      lastWarnings = warnings
    },
    onReady({ durationMs, changed }) {
      const names = changed.filter((path) => path !== '')
      const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
      const why = names.length > 0 ? ` (${names.slice(0, 3).join(', ')}${more})` : ''
      print(() => console.log(`${names.length > 0 ? 'updated' : 'ready'} in ${formatDuration(durationMs)}${why}`))
    },
    onNote: (text) => print(() => console.log(text)),
    onBundle: () => print(() => console.log(BUNDLING)),
    onErrors: (errors, isRepeat) => print(() => printErrors(errors, isRepeat)),
    formatErrors: (errors) => format(errors, PLAIN),
  })
  server = started
  const refresh = await loadTransform()
  if ('missing' in refresh) print(() => console.error(`${withoutRefresh(refresh.missing)}\n`))
  signals.setClose(started.close)
  const { urls, portNote } = started
  if (portNote !== null) console.log(portNote)
  console.log(`Hydrant serves ${resolve(dir)} at ${urls.local}`)
  for (const url of urls.network) console.log(`on the network: ${url}`)
  for (const write of waiting) write()
  print = (write) => write()

  // An error of the site outside of a request must not end `hydrant dev`.
  process.on('uncaughtException', started.report)
  watchRejections(HANDLED_MS, started.report)
}

function withoutRefresh(missing: string): string {
  return `Warning: ${missing} is not installed, so pages are loaded again after each edit and lose their state.\nTry: Remove node_modules and install again with optional packages: without "--omit=optional".`
}

function warnOfBlock(blockedMs: number): string {
  return `Warning: code of the site has blocked the event loop for ${blockedMs / 1_000} s; Ctrl+C ends the process`
}

/** Calls `onBlocked` in the code that blocks the event loop, and lets the code continue. */
async function watchEventLoop(blockedMs: number, onBlocked: (error: Error) => void) {
  const log = { warn: (_fields: unknown, text?: string) => console.error(text) }
  await startWatchdog(blockedMs, log, onBlocked, true)
}

function printErrors(errors: readonly DevError[], isRepeat: boolean) {
  const paint = createPaint(wantsColors(process.stderr, process.env))
  const view = { paint, width: process.stderr.columns || Number.POSITIVE_INFINITY }
  console.error(isRepeat ? errors.map((error) => formatDevRepeat(error, view)).join('\n') : format(errors, view))
}

function format(errors: readonly DevError[], view: DevView): string {
  return errors.flatMap((error) => formatDevError(error, view)).join('\n')
}

const PLAIN: DevView = { paint: createPaint(false), width: Number.POSITIVE_INFINITY }

/** Loads the formatter of `hydrant dev`, without lines of failures (see `formatDevError`) and of browsers' requests. */
export async function loadDevLogging(): Promise<(level: string) => Logging> {
  return await loadPrettyLogging((line) => !isLeftOut(line))
}

function isLeftOut(json: string): boolean {
  const mayBeFailure = json.includes('"digest":"') && json.includes('"side":"')
  if (!mayBeFailure && !json.includes('"statusCode":404')) return false
  try {
    const line = JSON.parse(json)
    return isFailure(line) || isProbe(line)
  } catch {
    return false
  }
}

// The line of a failure is the only one with these fields.
function isFailure({ digest, side, phase, err }: Record<string, unknown>): boolean {
  return [digest, side, phase].every((field) => typeof field === 'string') && typeof err === 'object'
}

/** The paths that browsers and their developer tools ask for by themselves, below any base. */
const PROBE = /^[^?]*\/(?:\.well-known\/appspecific\/[^?]*|favicon\.ico|apple-touch-icon[\w-]*\.png)(?:\?|$)/

/** Returns whether a line says that the site does not have such a path. */
function isProbe({ url, statusCode, level }: Record<string, unknown>): boolean {
  return statusCode === 404 && Number(level) <= 30 && typeof url === 'string' && PROBE.test(url)
}
