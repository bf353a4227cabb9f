import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createHydrantError } from '../../errors/hydrant-error.ts'
import { messageOf } from '../../util/message-of.ts'

export type Driver = typeof import('better-sqlite3')

/** Throws HYD_LEDGER_SQLITE_MISSING and HYD_LEDGER_SQLITE_UNFIT for the ledger of that name. */
export async function loadDriver(file: string): Promise<Driver> {
  const version = installedVersion()
  if (version !== null && !isFit(version, process.versions.node))
    throw createHydrantError('HYD_LEDGER_SQLITE_UNFIT', [file, version, process.versions.node])
  try {
    const { default: Driver } = await import('better-sqlite3')
    // Its binary is loaded with the first database.
    new Driver(':memory:').close()
    return Driver
  } catch (error) {
    // The other lines are the paths where it was looked for.
    const [reason = ''] = messageOf(error).split(/ Tried:\n|\n/)
    throw createHydrantError('HYD_LEDGER_SQLITE_MISSING', [file, reason], error)
  }
}

/**
 * Returns whether that version of better-sqlite3 works on that version of Node.js. One that does not ends the process, which
 * nothing can catch: 12 on Node.js 24 as soon as a statement is collected as garbage, 13 with the first database on a
 * Node.js without Node-API 10, which 22.14 and 23.6 have added.
 */
export function isFit(driver: string, node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (Number.parseInt(driver, 10) < 13) return major < 24
  return major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 14)
}

/** The version of better-sqlite3 that is installed; null when it cannot be found. */
export function installedVersion(): string | null {
  try {
    // 13 does not let its package.json be asked for by name; both have their program in a folder beside it.
    const main = createRequire(import.meta.url).resolve('better-sqlite3')
    const { version }: { version?: unknown } = JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8'))
    return typeof version === 'string' ? version : null
  } catch {
    return null
  }
}
