import { pathToFileURL } from 'node:url'
import { siteFrameOf } from '../../src/server/ledger/failure-json.ts'
import { loadPrettyLogging } from '../../src/server/log/logger.ts'
import { BuildError } from '../build-problem.ts'
import type { DevFailure } from '../dev/dev-failures.ts'
import { startDevServer } from '../dev/dev-server.ts'
import { formatError } from '../terminal/format-error.ts'
import { formatSource } from '../terminal/format-failure.ts'
import { formatProblem, formatWarning } from '../terminal/format-problem.ts'
import { formatDuration } from '../terminal/format-report.ts'
import { createPaint } from '../terminal/paint.ts'

/** Runs `hydrant dev` until it is interrupted, and then exits. */
export async function runDev(
  dir: string,
  flags: Record<string, string | undefined>,
  note: string | null,
): Promise<void> {
  if (note !== null) console.error(note)
  const createLogging = await loadPrettyLogging()
  const server = await startDevServer({
    dir,
    flags,
    env: process.env,
    createLogging: ({ logLevel }) => createLogging(logLevel),
    onReady({ warnings, durationMs, changed }) {
      for (const warning of warnings) console.error(`${formatWarning(warning)}\n`)
      const names = changed.filter((path) => path !== '')
      const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
      const why = names.length > 0 ? ` (${names.slice(0, 3).join(', ')}${more})` : ''
      console.log(`${names.length > 0 ? 'updated' : 'ready'} in ${formatDuration(durationMs)}${why}`)
    },
    onBundle: () => console.log('bundling the packages of the site, which is kept for the next start'),
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
  console.log(`Hydrant serves ${pathToFileURL(dir).pathname} at ${server.url}`)

  // An error of the site outside of a request must not end `hydrant dev`.
  function report(error: unknown) {
    console.error(describeFailure({ error, source: server.findSource(error) }))
  }
  process.on('uncaughtException', report).on('unhandledRejection', report)

  await new Promise((stop) => process.once('SIGINT', stop).once('SIGTERM', stop))
  await server.close()
  // Timers of the site would keep the process alive.
  process.exit(0)
}

function describeFailure({ error, source }: Pick<DevFailure, 'error' | 'source'>): string {
  if (error instanceof BuildError) return `${error.problems.map(formatProblem).join('\n\n')}\n`
  const text = `${formatError(error, { withStack: true })}\n`
  return source ? `${text}\n${formatSource(source, VIEW).join('\n')}\n` : text
}

/** Without colours, because the browser displays the same text. */
const VIEW = { paint: createPaint(false), width: Number.POSITIVE_INFINITY }
