import { type BuildProblem, formatPlace, type SourceLocation } from '../build-problem.ts'

const WIDTH = 100

/** `Error [CODE] what`, where, the line itself, and what to do. */
export function formatProblem({ code, message, fix, place }: BuildProblem): string {
  const where = place ? [`  at ${formatPlace(place)}`, ...formatFrame(place)] : []
  return [formatHead(code, message), ...where, `Try: ${fix}`].join('\n')
}

export function formatHead(code: string, message: string): string {
  return `Error [${code}] ${message}`
}

export function formatWarning({ message, place }: BuildProblem): string {
  const where = place ? [`  at ${formatPlace(place)}`, ...formatFrame(place)] : []
  return [`Warning: ${message}`, ...where].join('\n')
}

function formatFrame({ line, column, lineText }: SourceLocation): string[] {
  if (line === null || column === null || lineText === null || lineText.trim() === '') return []
  // Of a long line, what stands around the place.
  const from = Math.max(0, column - WIDTH / 2)
  const shown = lineText
    .slice(from, from + WIDTH)
    .replaceAll('\t', ' ')
    .trimEnd()
  const margin = ' '.repeat(String(line).length)
  return ['', `  ${line} | ${shown}`, `  ${margin} | ${' '.repeat(Math.max(0, column - 1 - from))}^`, '']
}
