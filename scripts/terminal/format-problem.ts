import { type BuildProblem, formatLocation, type SourceLocation } from '../build-problem.ts'

const WIDTH = 100

/** Formats a problem: `Error [CODE] message`, its place, the line of the source, and the fix. */
export function formatProblem(problem: BuildProblem): string {
  return formatLines(formatHead(problem.code, problem.message), problem)
}

/** Formats a warning in the form of a problem. */
export function formatWarning(warning: BuildProblem): string {
  return formatLines(`Warning [${warning.code}] ${warning.message}`, warning)
}

export function formatHead(code: string, message: string): string {
  return `Error [${code}] ${message}`
}

function formatLines(head: string, { location, fix, details = [] }: BuildProblem): string {
  const where = location ? [`  at ${formatLocation(location)}`, ...formatFrame(location)] : []
  return [head, ...where, ...details, `Try: ${fix}`].join('\n')
}

function formatFrame({ line, column, lineText }: SourceLocation): string[] {
  if (line === null || column === null || lineText === null || lineText.trim() === '') return []
  // Shows only the part of a long line around the place.
  const from = Math.max(0, column - WIDTH / 2)
  const shown = lineText
    .slice(from, from + WIDTH)
    .replaceAll('\t', ' ')
    .trimEnd()
  const margin = ' '.repeat(String(line).length)
  return ['', `  ${line} | ${shown}`, `  ${margin} | ${' '.repeat(Math.max(0, column - 1 - from))}^`, '']
}
