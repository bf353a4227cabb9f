import { join } from 'node:path'
import { BUILD_PATHS } from '../../src/server/build-output/manifest.ts'
import type { ErrorCode } from '../../src/server/errors/error-table.ts'
import { findExportPlace } from '../../src/server/errors/hydrant-error.ts'
import { createSourceMapper, mapStacks } from '../../src/server/failures/stacks/source-map.ts'
import { messageOf } from '../../src/server/util/unknown-values.ts'
import type { PrerenderMessage } from '../build/prerender/render-address.ts'
import { renderSite } from '../build/prerender/render-site.ts'
import { type BuildProblem, createProblem, type SourceLocation } from '../build-problem.ts'
import { explainCause, isKnownError } from '../terminal/format-error.ts'

/**
 * Renders the pages of a build that export `prerender`, in the process that `hydrant build` has started for that, and
 * ends the process. Connections and timers of the site would otherwise keep it running.
 */
export async function runPrerender([folder = '', dir = '']: readonly string[]): Promise<void> {
  // The build has been stopped.
  process.once('disconnect', () => process.exit())
  const onProgress = (done: number, total: number) => void process.send?.({ kind: 'progress', done, total })
  const message = await renderSite({ folder, dir, onProgress }).catch((error: unknown) =>
    describeError(error, folder, dir),
  )
  await new Promise<void>((sent) => process.send?.(message, () => sent()))
  process.exit()
}

/** The site could not be loaded, as `hydrant start` could not load it. */
function describeError(error: unknown, folder: string, dir: string): PrerenderMessage {
  const location = placeOf(error, folder, dir)
  const problem: BuildProblem = isKnownError(error)
    ? // All errors with a fix are Hydrant's own.
      { code: error.code as ErrorCode, message: error.message, fix: error.fix, location }
    : createProblem('HYD_PRERENDER_START', [messageOf(error)], location)
  if (problem.code === 'HYD_BUILD_BROKEN' && location)
    problem.fix = explainCause(error) ?? 'Fix this module, then build again.'
  return { kind: 'failed', problems: [{ ...problem, about: findExportPlace(error) }] }
}

/** Returns the first place of the site in the stack of an error or of its causes. */
function placeOf(error: unknown, folder: string, dir: string): SourceLocation | null {
  const bundles = [BUILD_PATHS.server, BUILD_PATHS.config].map((name) => join(folder, name))
  const mapper = createSourceMapper(
    dir,
    bundles.map((path) => ({ path, findFile: () => path })),
  )
  const frame = mapStacks(error, mapper)
  return frame && { file: frame.file, line: frame.line, column: frame.column, lineText: null }
}
