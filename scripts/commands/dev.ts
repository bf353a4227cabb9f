import { pathToFileURL } from 'node:url'
import type { DevError } from '../../src/shared/wire/dev-protocol.ts'
import { startDevServer } from '../dev/dev-server.ts'
import { loadDevLogging } from '../terminal/dev-logging.ts'
import { type DevView, formatDevError, formatDevRepeat } from '../terminal/format-dev-error.ts'
import { formatWarning } from '../terminal/format-problem.ts'
import { formatDuration } from '../terminal/format-report.ts'
import { createPaint, wantsColours } from '../terminal/paint.ts'

/** Runs `hydrant dev` until it is interrupted, and then exits. */
export async function runDev(
  dir: string,
  flags: Record<string, string | undefined>,
  note: string | null,
): Promise<void> {
  if (note !== null) console.error(note)
  const createLogging = await loadDevLogging()
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
    onErrors: printErrors,
    formatErrors: (errors) => format(errors, PLAIN),
  })
  console.log(`Hydrant serves ${pathToFileURL(dir).pathname} at ${server.url}`)

  // An error of the site outside of a request must not end `hydrant dev`.
  process.on('uncaughtException', server.report).on('unhandledRejection', server.report)

  await new Promise((stop) => process.once('SIGINT', stop).once('SIGTERM', stop))
  await server.close()
  // Timers of the site would keep the process alive.
  process.exit(0)
}

function printErrors(errors: readonly DevError[], isRepeat: boolean) {
  const paint = createPaint(wantsColours(process.stderr, process.env))
  const view = { paint, width: process.stderr.columns || Number.POSITIVE_INFINITY }
  console.error(isRepeat ? errors.map((error) => formatDevRepeat(error, view)).join('\n') : format(errors, view))
}

function format(errors: readonly DevError[], view: DevView): string {
  return errors.flatMap((error) => formatDevError(error, view)).join('\n')
}

const PLAIN: DevView = { paint: createPaint(false), width: Number.POSITIVE_INFINITY }
