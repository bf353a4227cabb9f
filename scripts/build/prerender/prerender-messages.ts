// What the process that prerenders pages tells the build.

import type { BuildProblem } from '../../build-problem.ts'

/** A problem of a prerendered page. */
export interface PrerenderProblem extends BuildProblem {
  /** The file whose export `prerender` is the place of the problem, if there is no better one; null for none. */
  exportIn: string | null
}

export type PrerenderMessage =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done'; pages: number }
  | { kind: 'failed'; problems: PrerenderProblem[] }
