import { createHydrantError } from '../../errors/hydrant-error.ts'
import { firstLineOf } from '../../util/message-of.ts'
import { adaptDatabase, type Database, type DriverDatabase } from './database.ts'

interface OpenOptions {
  /** The default is false. */
  readOnly?: boolean
  /** How long to wait for another connection's lock, in milliseconds. The default is 0. */
  timeout?: number
}

/** A library that reads and writes SQLite files. */
export interface Driver {
  name: typeof PACKAGE | typeof NODE
  /** Why `node:sqlite` replaces the package; null if it does not. */
  reason: string | null
  open(file: string, options?: OpenOptions): Database
}

/** The part that both libraries have in common. */
interface DriverModule {
  DatabaseSync: new (file: string, options: { readOnly: boolean }) => DriverDatabase
}

const PACKAGE = '@photostructure/sqlite'
const NODE = 'node:sqlite'

/**
 * Loads the driver: the package @photostructure/sqlite, or `node:sqlite` if the package cannot be loaded. Throws
 * HYD_LEDGER_SQLITE_MISSING for the ledger `file` if Node.js has no `node:sqlite` either.
 */
export async function loadDriver(file: string): Promise<Driver> {
  try {
    return createDriver(PACKAGE, null, await import('@photostructure/sqlite'))
  } catch (error) {
    // The other lines are paths.
    const reason = firstLineOf(error)
    const module = await importNodeSqlite()
    if (module === null) throw createHydrantError('HYD_LEDGER_SQLITE_MISSING', [file, reason], error)
    return createDriver(NODE, reason, module)
  }
}

/** Node.js has the module from version 22.13 on. The types of Node.js 20 do not know it. */
async function importNodeSqlite(): Promise<DriverModule | null> {
  const name: string = NODE
  try {
    return await import(name)
  } catch {
    return null
  }
}

function createDriver(name: Driver['name'], reason: string | null, { DatabaseSync }: DriverModule): Driver {
  return {
    name,
    reason,
    open(file, { readOnly = false, timeout = 0 } = {}) {
      const db = adaptDatabase(new DatabaseSync(file, { readOnly }))
      // `node:sqlite` ignores its option `timeout` before Node.js 22.16.
      db.pragma(`busy_timeout = ${timeout}`)
      return db
    },
  }
}
