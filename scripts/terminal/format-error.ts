import { framesIn } from '../../src/server/failures/describe-thrown.ts'
import { readFrame } from '../../src/server/failures/stacks/stack-frame.ts'
import { findGlobalFix } from '../explain-globals.ts'
import { formatHead } from './format-problem.ts'

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
