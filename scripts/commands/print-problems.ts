import type { BuildProblem } from '../build-problem.ts'
import { formatProblem, formatWarning } from '../terminal/format-problem.ts'
import type { Output } from '../terminal/terminal.ts'

/** Prints what keeps a site from being built. */
export function printProblems(problems: readonly BuildProblem[], stderr: Output) {
  for (const problem of problems) stderr.write(`${formatProblem(problem)}\n\n`)
}

export function printWarnings(warnings: readonly BuildProblem[], stderr: Output) {
  for (const warning of warnings) stderr.write(`${formatWarning(warning)}\n\n`)
}
