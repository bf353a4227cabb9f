// The messages of the process that prerenders pages to the build.

import type { BuildProblem } from '../../build-problem.ts'

/** A problem of a prerendered page. */
export interface PrerenderProblem extends BuildProblem {
  /** The file whose export `prerender` is shown if the problem has no other place; null for none. */
  exportIn: string | null
}

export type PrerenderMessage =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done'; pages: number }
  | { kind: 'failed'; problems: PrerenderProblem[] }
