import type { BuildProblem } from '../build-problem.ts'
import { formatProblem, formatWarning } from '../terminal/format-problem.ts'

/** Prints what keeps a site from being built. */
export function printProblems(problems: readonly BuildProblem[]) {
  for (const problem of problems) console.error(`${formatProblem(problem)}\n`)
}

export function printWarnings(warnings: readonly BuildProblem[]) {
  for (const warning of warnings) console.error(`${formatWarning(warning)}\n`)
}
