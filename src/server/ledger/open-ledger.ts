import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { createHydrantError, type HydrantError, showValue } from '../errors/hydrant-error.ts'
import { createInvalidOption, type Options } from '../options/options.ts'
import { toSitePath } from '../util/paths.ts'
import { isParsable, isPostgresUrl } from '../util/postgres.ts'
import type { Ledger, LedgerLimits } from './ledger.ts'
import { createDelegateLedger } from './ledger-rpc.ts'
import { createThreadLedger } from './ledger-thread.ts'
import { createMemoryLedger, createNullLedger } from './memory-ledger.ts'
import { createPostgresLedger, readPostgresLedger } from './postgres/postgres-ledger.ts'
import { loadDriver } from './sqlite/database.ts'
import type { LogNotice } from './sqlite/file-ledger.ts'
import { refuseForeignLedger } from './sqlite/open-file.ts'
import { readSqliteLedger } from './sqlite/sqlite-ledger.ts'

export type LedgerOptions = Pick<Options, 'ledger' | 'ledgerLimits'>

type LedgerLog = Pick<FastifyBaseLogger, 'warn'>

/**
 * Creates the ledger of a server, given the site's folder. Its first use opens it. If it can never be written, a ledger
 * in memory replaces it, with one warning. Throws HYD_OPTION_INVALID for an invalid location.
 */
export function createLedger(siteDir: string, { ledger, ledgerLimits }: LedgerOptions, log: LedgerLog): Ledger {
  const limits = toLimits(ledgerLimits)
  const location = readLocation(siteDir, ledger)
  switch (location.kind) {
    case 'none':
      return createNullLedger()
    case 'postgres':
      return withMemory(createPostgresLedger(location.url, limits), limits, log)
    case 'file': {
      return withMemory(createThreadLedger({ file: location.file, limits }, createNotice(log)), limits, log)
    }
  }
}

/** Checks the ledger's place before a start. Rejects with HYD_OPTION_INVALID, and with HYD_LEDGER_FOREIGN. */
export async function checkLedger(siteDir: string, { ledger }: Pick<LedgerOptions, 'ledger'>): Promise<void> {
  const location = readLocation(siteDir, ledger)
  if (location.kind === 'file') await refuseForeignLedger(location.file)
}

/**
 * Opens the ledger of a site for a command that reads it. The caller closes it. Throws HYD_LEDGER_MISSING if there is
 * none, HYD_LEDGER_OFF if the site has none, and the errors of `readSqliteLedger`. The methods of a ledger in PostgreSQL
 * reject with the errors of `readPostgresLedger`.
 */
export async function openLedger(siteDir: string, { ledger, ledgerLimits }: LedgerOptions): Promise<Ledger> {
  const limits = toLimits(ledgerLimits)
  const location = readLocation(siteDir, ledger)
  if (location.kind === 'none') throw createHydrantError('HYD_LEDGER_OFF', [siteDir])
  if (location.kind === 'postgres') return readPostgresLedger(location.url, limits)
  if (!existsSync(location.file)) {
    // A server without a driver writes no file: the missing driver is the cause.
    await loadDriver(location.file)
    throw createHydrantError('HYD_LEDGER_MISSING', [location.file])
  }
  return readSqliteLedger(location.file, limits)
}

/** Returns a name that is equal for sites that share a ledger; null for no ledger. */
export function nameLedger(siteDir: string, { ledger }: Pick<LedgerOptions, 'ledger'>): string | null {
  const location = readLocation(siteDir, ledger)
  if (location.kind === 'none') return null
  return location.kind === 'file' ? location.file : location.url
}

type LedgerLocation = { kind: 'none' } | { kind: 'postgres'; url: string } | { kind: 'file'; file: string }

function readLocation(siteDir: string, ledger: Options['ledger']): LedgerLocation {
  if (ledger === false) return { kind: 'none' }
  if (isPostgresUrl(ledger)) {
    // The error does not show the value: it may have a password.
    const expected = 'a URL like postgres://user@host/database'
    if (!isParsable(ledger)) throw createInvalid(ledger, expected, 'a URL that cannot be parsed')
    return { kind: 'postgres', url: ledger }
  }
  const file = resolve(siteDir, ledger)
  const [folder = ''] = toSitePath(siteDir, file).split('/')
  const expected = 'a file outside of public/, whose files everyone can read'
  // Windows and macOS ignore case.
  if (folder.toLowerCase() === 'public') throw createInvalid(ledger, expected, showValue(ledger))
  return { kind: 'file', file }
}

function createInvalid(ledger: string, expected: string, shown: string) {
  // The variable overrides all other places of the option.
  return createInvalidOption(process.env[VARIABLE] === ledger ? VARIABLE : 'ledger', expected, shown)
}

const VARIABLE = 'HYDRANT_LEDGER'

const DAY_MS = 86_400_000

function toLimits({ maxAgeDays, ...limits }: Options['ledgerLimits']): LedgerLimits {
  return { ...limits, maxAgeMs: maxAgeDays * DAY_MS }
}

/** Logs each text once: the thread of a ledger may end and start again. */
function createNotice(log: LedgerLog): LogNotice {
  const logged = new Set<string>()
  return (text) => {
    if (logged.has(text)) return
    logged.add(text)
    log.warn(text)
  }
}

/** Codes of errors that last until the process ends. */
const LASTING = [
  'HYD_LEDGER_SQLITE_MISSING',
  'HYD_LEDGER_PG_MISSING',
  'HYD_LEDGER_UNWRITABLE',
  'HYD_LEDGER_FOREIGN',
  'HYD_LEDGER_NEWER',
]
const MAX_MEMORY_BYTES = 20_000_000

/**
 * Returns a ledger that a ledger in memory replaces after the first lasting error. If a ledger that has worked cannot
 * be written any more, that may be temporary: its folder may be on a disk that is mounted again.
 */
function withMemory(ledger: Ledger, limits: LedgerLimits, log: LedgerLog): Ledger {
  let memory: Ledger | null = null
  let hasWorked = false

  function openMemory(error: HydrantError): Ledger {
    if (memory) return memory
    log.warn({ err: error }, `failures are kept in memory until the server stops: ${error.message}. ${error.fix}`)
    memory = createMemoryLedger({ ...limits, maxBytes: Math.min(limits.maxBytes, MAX_MEMORY_BYTES) })
    return memory
  }

  return createDelegateLedger(
    async (work) => {
      if (memory) return work(memory)
      try {
        const result = await work(ledger)
        hasWorked = true
        return result
      } catch (error) {
        if (!isLasting(error) || (hasWorked && error.code === 'HYD_LEDGER_UNWRITABLE')) throw error
        return work(openMemory(error))
      }
    },
    () => ledger.close(),
  )
}

function isLasting(error: unknown): error is HydrantError {
  return error instanceof Error && 'code' in error && LASTING.includes(String(error.code))
}
