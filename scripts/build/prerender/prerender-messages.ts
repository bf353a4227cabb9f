// The messages of the process that prerenders pages to the build.

import type { ExportPlace } from '../../../src/server/errors/export-error.ts'
import type { BuildProblem } from '../../build-problem.ts'

/** A problem of a prerendered page. */
export interface PrerenderProblem extends BuildProblem {
  /** The export that is shown if the problem has no other place; null for none. */
  about: ExportPlace | null
}

/** Returns the export `prerender` of a file. */
export function prerenderIn(file: string): ExportPlace {
  return { file, name: 'prerender' }
}

export type PrerenderMessage =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done'; pages: number }
  | { kind: 'failed'; problems: PrerenderProblem[] }
