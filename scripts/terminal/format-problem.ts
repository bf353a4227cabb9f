import { type BuildProblem, formatLocation, type SourceLocation } from '../build-problem.ts'

const WIDTH = 100

/** Formats a problem: `Error [CODE] message`, its place, the line of the source, and the fix. */
export function formatProblem({ code, message, fix, location }: BuildProblem): string {
  const where = location ? [`  at ${formatLocation(location)}`, ...formatFrame(location)] : []
  return [formatHead(code, message), ...where, `Try: ${fix}`].join('\n')
}

export function formatHead(code: string, message: string): string {
  return `Error [${code}] ${message}`
}

export function formatWarning({ message, location }: BuildProblem): string {
  const where = location ? [`  at ${formatLocation(location)}`, ...formatFrame(location)] : []
  return [`Warning: ${message}`, ...where].join('\n')
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
