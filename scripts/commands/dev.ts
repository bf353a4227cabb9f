import { pathToFileURL } from 'node:url'
import { loadPrettyLogging } from '../../src/server/logging.ts'
import { startDevServer } from '../dev/dev-server.ts'
import { BuildError } from '../problem.ts'
import { formatError } from '../terminal/format-error.ts'
import { formatProblem, formatWarning } from '../terminal/format-problem.ts'
import { formatDuration } from '../terminal/format-report.ts'

/** `hydrant dev`: runs until it is interrupted. */
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
    onReady(build, changed) {
      for (const warning of build.warnings) console.error(`${formatWarning(warning)}\n`)
      const why = changed.length > 0 ? ` (${[...new Set(changed)].slice(0, 3).join(', ')})` : ''
      console.log(`built in ${formatDuration(build.durationMs)}${why}`)
    },
    onFailure(error) {
      const text = describeFailure(error)
      console.error(text)
      return text
    },
  })
  console.log(`Hydrant serves ${pathToFileURL(dir).pathname} at ${server.url}`)

  // What the site's own code throws outside of a request must not end the work on it.
  const report = (error: unknown) => console.error(formatError(error, { withStack: true }))
  process.on('uncaughtException', report).on('unhandledRejection', report)

  await new Promise((stop) => process.once('SIGINT', stop).once('SIGTERM', stop))
  await server.close()
  // Timers of the site's own would keep the process.
  process.exit(0)
}

function describeFailure(error: unknown): string {
  if (error instanceof BuildError) return `${error.problems.map(formatProblem).join('\n\n')}\n`
  return `${formatError(error, { withStack: true })}\n`
}
