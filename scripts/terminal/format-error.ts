import { framesIn } from '../../src/server/failures/describe-thrown.ts'
import { readFrame } from '../../src/server/failures/stacks/stack-frame.ts'
import { type BuildProblem, formatLocation, type SourceLocation } from '../build-problem.ts'
import { findGlobalFix } from '../find-fix.ts'

interface KnownError extends Error {
  code: string
  fix: string
}

/** Returns whether an error is from Hydrant's table, with a code and a fix. */
export function isKnownError(error: unknown): error is KnownError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'fix' in error
}

/** Formats an error for the terminal. Leaves out the stack of a known error, unless `withStack` is set. */
export function formatError(error: unknown, { withStack }: { withStack: boolean }): string {
  if (isFastifyError(error) && !withStack) return formatFastifyError(error)
  if (!isKnownError(error)) return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const head = `${formatHead(error.code, error.message)}\nTry: ${explainCause(error) ?? error.fix}`
  if (withStack) return `${head}\n\n${describeStack(error)}`
  // Only the stack of the cause names the module of the site that threw.
  return error.code === 'HYD_BUILD_BROKEN' && error.cause instanceof Error
    ? `${head}\n\n${describeStack(error.cause)}`
    : head
}

/** Returns the fix for the error that has caused another one, if it is known. */
export function explainCause(error: unknown): string | null {
  const { cause } = Object(error) as { cause?: unknown }
  if (!(cause instanceof Error)) return null
  return findGlobalFix('server', { type: cause.name, message: cause.message, stack: cause.stack })
}

function isFastifyError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_')
}

/** Fastify throws many of its errors later, when the stack does not lead to the site. */
function formatFastifyError({ code, message, stack = '' }: Error & { code: string }): string {
  const frames = framesIn(stack)
  const isOfSite = frames.some((frame) => !/^node:|[\\/]node_modules[\\/]/.test(readFrame(frame)?.location ?? 'node:'))
  const fix = `Try: Read https://fastify.dev/docs/latest/Reference/Errors/#${code.toLowerCase()}.`
  return [formatHead(code, message), ...(isOfSite ? frames : []), fix].join('\n')
}

function describeStack(error: Error): string {
  const stack = error.stack ?? error.message
  return error.cause instanceof Error ? `${stack}\nCaused by: ${describeStack(error.cause)}` : stack
}

const WIDTH = 100

/** Formats a problem: `Error [CODE] message`, its place, the line of the source, and the fix. */
export function formatProblem(problem: BuildProblem): string {
  return formatLines(formatHead(problem.code, problem.message), problem)
}

export function formatWarning(warning: BuildProblem): string {
  return formatLines(`Warning [${warning.code}] ${warning.message}`, warning)
}

function formatHead(code: string, message: string): string {
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
