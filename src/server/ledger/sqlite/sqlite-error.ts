import { createHydrantError, type HydrantError } from '../../errors/hydrant-error.ts'

/** Converts an error of an operation on an open file to HYD_LEDGER_DAMAGED or HYD_LEDGER_FAILED. */
export function toSqliteError(file: string, error: unknown): HydrantError {
  const { code, message } = readError(error)
  const isDamaged = /^SQLITE_(?:NOTADB|CORRUPT)/.test(code)
  return createHydrantError(isDamaged ? 'HYD_LEDGER_DAMAGED' : 'HYD_LEDGER_FAILED', [file, message], error)
}

/** Returns SQLite's result code, or the system's or Hydrant's error code, and the message of an error. */
export function readError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) }
  const { message } = error
  if ('sqliteCodeName' in error) return { code: String(error.sqliteCodeName), message }
  const code = 'code' in error ? String(error.code) : ''
  if (code !== 'ERR_SQLITE_ERROR') return { code, message }
  const text = 'errstr' in error ? String(error.errstr) : message
  return { code: CODES[text] ?? 'SQLITE_ERROR', message }
}

/**
 * SQLite's result codes by their texts. `node:sqlite` has the text in `errstr`. Version 1 of the package has it only in
 * the message of the errors of `all` and `pragma`.
 */
const CODES: Record<string, string> = {
  'access permission denied': 'SQLITE_PERM',
  'attempt to write a readonly database': 'SQLITE_READONLY',
  'database disk image is malformed': 'SQLITE_CORRUPT',
  'database is locked': 'SQLITE_BUSY',
  'database or disk is full': 'SQLITE_FULL',
  'disk I/O error': 'SQLITE_IOERR',
  'file is not a database': 'SQLITE_NOTADB',
  'unable to open database file': 'SQLITE_CANTOPEN',
}
