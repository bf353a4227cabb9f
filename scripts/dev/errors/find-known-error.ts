import { type ErrorCode, type ErrorEntry, errorTable } from '../../../src/server/errors/error-table.ts'
import { foreignFix } from '../../build/bundles/foreign-names.ts'

/** An error of Hydrant's table. */
export interface KnownError {
  code: ErrorCode
  fix: string
}

/**
 * Returns the error of Hydrant's table with this type and message; null for an error of the site. A failure has no
 * code.
 */
export function findKnownError({ type, message }: { type: string; message: string }): KnownError | null {
  if (type !== 'HydrantError') return null
  // Several patterns may match. The one with the most text of its own is the right one.
  const [found] = patterns()
    .filter(({ pattern }) => pattern.test(message))
    .sort((a, b) => b.length - a.length)
  return found ? { code: found.code, fix: fixOfName(message) ?? found.fix } : null
}

/** Returns the fix of the import of a name of another framework. A failure has no fix either. */
function fixOfName(message: string): string | undefined {
  const [, module = '', name = ''] = /^"(.*?)" has no export "(.*?)"/.exec(message) ?? []
  return foreignFix(module, name)
}

function patterns() {
  // The keys of the table are its codes.
  return (Object.entries(errorTable) as [ErrorCode, ErrorEntry][]).map(([code, { message, fix }]) => {
    const texts = message.split('%s')
    const pattern = new RegExp(
      `^${texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[\\s\\S]*')}$`,
    )
    return { code, fix, pattern, length: texts.join('').length }
  })
}
