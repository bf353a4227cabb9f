import type { ErrorCode } from '../../src/server/errors/error-table.ts'
import { messageOf } from '../../src/server/util/message-of.ts'
import type { PrerenderMessage } from '../build/prerender/prerender-messages.ts'
import { renderSite } from '../build/prerender/render-site.ts'
import { type BuildProblem, createProblem } from '../build-problem.ts'
import { isKnownError } from '../terminal/format-error.ts'

/**
 * Renders the pages of a build that export `prerender`, in the process that `hydrant build` has started for that, and
 * ends the process. Connections and timers of the site would otherwise keep it running.
 */
export async function runPrerender([folder = '', dir = '']: readonly string[]): Promise<void> {
  // The build has been stopped.
  process.once('disconnect', () => process.exit())
  const onProgress = (done: number, total: number) => void process.send?.({ kind: 'progress', done, total })
  const message = await renderSite({ folder, dir, onProgress }).catch(describeError)
  await new Promise<void>((sent) => process.send?.(message, () => sent()))
  process.exit()
}

/** The site could not be loaded, as `hydrant start` could not load it. */
function describeError(error: unknown): PrerenderMessage {
  const problem: BuildProblem = isKnownError(error)
    ? // All errors with a fix are Hydrant's own.
      { code: error.code as ErrorCode, message: error.message, fix: error.fix, location: null }
    : createProblem('HYD_PRERENDER_START', [messageOf(error)])
  return { kind: 'failed', problems: [{ ...problem, exportIn: null }] }
}
