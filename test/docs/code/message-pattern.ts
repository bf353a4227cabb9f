import { errorTable } from '../../../src/server/errors/error-table.ts'

const messages = new Map(Object.entries(errorTable).map(([code, { message }]) => [code, message]))

/** Returns a pattern for the first line of an error with this code. For an unknown code, nothing matches it. */
export function messagePattern(code: string): RegExp {
  const message = messages.get(code)
  if (message === undefined) return /(?!)/
  const words = message.split('%s').map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^(?:Error|Warning) \\[${code}\\] ${words.join('.*')}$`)
}
