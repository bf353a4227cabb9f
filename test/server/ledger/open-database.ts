import { DatabaseSync } from '@photostructure/sqlite'
import { adaptDatabase, type Database } from '../../../src/server/ledger/sqlite/database.ts'

/** Opens a file as any other program does. It waits up to five seconds for a write of another process. */
export function openDatabase(file: string, options: { readOnly?: boolean } = {}): Database {
  return adaptDatabase(new DatabaseSync(file, { timeout: 5_000, ...options }))
}
