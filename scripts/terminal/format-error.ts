import { formatHead } from './format-problem.ts'

interface KnownError extends Error {
  code: string
  fix: string
}

/** An error of the project's own table, which says all that a user needs. */
export function isKnownError(error: unknown): error is KnownError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'fix' in error
}

/** As the terminal shows it. The stack of a known error would only hide what it says. */
export function formatError(error: unknown, { withStack }: { withStack: boolean }): string {
  if (!isKnownError(error)) return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const head = `${formatHead(error.code, error.message)}\nTry: ${error.fix}`
  if (withStack) return `${head}\n\n${describeStack(error)}`
  // Only the stack says which module of the site has thrown.
  return error.code === 'HYD_BUILD_BROKEN' && error.cause instanceof Error
    ? `${head}\n\n${describeStack(error.cause)}`
    : head
}

function describeStack(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\nCaused by: ${describeStack(error.cause)}` : own
}
