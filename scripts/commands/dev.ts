import { pathToFileURL } from 'node:url'
import { siteFrameOf } from '../../src/server/ledger/failure-json.ts'
import { startWatchdog } from '../../src/server/lifecycle/watchdog.ts'
import { loadPrettyLogging } from '../../src/server/log/logger.ts'
import { BuildError } from '../build-problem.ts'
import type { DevFailure } from '../dev/dev-failures.ts'
import { type DevServer, startDevServer } from '../dev/dev-server.ts'
import { handleStopSignals } from '../dev/stop-signals.ts'
import { formatError } from '../terminal/format-error.ts'
import { formatSource } from '../terminal/format-failure.ts'
import { formatProblem, formatWarning } from '../terminal/format-problem.ts'
import { formatDuration } from '../terminal/format-report.ts'
import { createPaint } from '../terminal/paint.ts'

/** Milliseconds without a reaction after which the event loop counts as blocked. */
const BLOCKED_MS = 3_000
const BLOCKED = `Warning: code of the site has blocked the event loop for ${BLOCKED_MS / 1_000} s; Ctrl+C ends the process`

/** Runs `hydrant dev` until a signal ends the process. */
export async function runDev(
  dir: string,
  { poll, ...flags }: Record<string, string | undefined>,
  note: string | null,
): Promise<void> {
  const signals = handleStopSignals((text) => console.error(text))
  // chokidar reads the variable; containers set it without the flag.
  if (poll !== undefined) process.env.CHOKIDAR_USEPOLLING = poll
  if (note !== null) console.error(note)
  let server: DevServer | null = null
  await watchEventLoop((error) => {
    signals.release()
    // Rewrites the stack to positions in the source.
    const source = server?.findSource(error) ?? null
    const [, ...frames] = error.stack?.split('\n') ?? []
    console.error([BLOCKED, ...(source ? formatSource(source, VIEW) : frames), ''].join('\n'))
  })
  const createLogging = await loadPrettyLogging()
  // A warning is printed once, not with each build.
  let lastWarnings: ReadonlySet<string> = new Set()
  const started = await startDevServer({
    dir,
    flags,
    env: process.env,
    createLogging: ({ logLevel }) => createLogging(logLevel),
    onReady(build, changed) {
      const warnings = new Set(build.warnings.map(formatWarning))
      for (const warning of warnings) if (!lastWarnings.has(warning)) console.error(`${warning}\n`)
      lastWarnings = warnings
      const why = changed.length > 0 ? ` (${[...new Set(changed)].slice(0, 3).join(', ')})` : ''
      console.log(`built in ${formatDuration(build.durationMs)}${why}`)
    },
    onFailure(failure) {
      const text = describeFailure(failure)
      console.error(failure.error instanceof BuildError ? text : `${failure.title}: ${text}`)
      return text
    },
    onFailed({ error }) {
      const source = siteFrameOf(error)
      // The logger has written the failure's line to the same output before.
      if (source?.code) console.log(`${formatSource(source, VIEW).join('\n')}\n`)
    },
  })
  server = started
  signals.setClose(started.close)
  const { urls, portNote } = started
  if (portNote !== null) console.log(portNote)
  console.log(`Hydrant serves ${pathToFileURL(dir).pathname} at ${urls.local}`)
  for (const url of urls.network) console.log(`on the network: ${url}`)

  // An error of the site outside of a request must not end `hydrant dev`.
  function report(error: unknown) {
    console.error(describeFailure({ error, source: started.findSource(error) }))
  }
  process.on('uncaughtException', report).on('unhandledRejection', report)
}

/** Calls `onBlocked` in the code that blocks the event loop, and lets the code continue. */
async function watchEventLoop(onBlocked: (error: Error) => void) {
  const log = { warn: (_fields: unknown, text?: string) => console.error(text) }
  await startWatchdog(BLOCKED_MS, log, onBlocked, true)
}

function describeFailure({ error, source }: Pick<DevFailure, 'error' | 'source'>): string {
  if (error instanceof BuildError) return `${error.problems.map(formatProblem).join('\n\n')}\n`
  const text = `${formatError(error, { withStack: true })}\n`
  return source ? `${text}\n${formatSource(source, VIEW).join('\n')}\n` : text
}

/** Without colours, because the browser displays the same text. */
const VIEW = { paint: createPaint(false), width: Number.POSITIVE_INFINITY }
