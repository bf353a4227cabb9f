import { existsSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { createHydrantError, type HydrantError, showValue } from '../errors/hydrant-error.ts'
import type { Options } from '../options/options.ts'
import { parseUrl } from '../util/parse-url.ts'
import { createDelegateLedger } from './delegate-ledger.ts'
import type { Ledger, LedgerLimits } from './ledger.ts'
import { createThreadLedger } from './ledger-thread.ts'
import { createMemoryLedger } from './memory-ledger.ts'
import { createNullLedger } from './null-ledger.ts'
import { createPostgresLedger } from './postgres/postgres-ledger.ts'
import { loadDriver } from './sqlite/driver.ts'
import { readSqliteLedger } from './sqlite/sqlite-ledger.ts'

export type LedgerOptions = Pick<Options, 'ledger' | 'ledgerLimits'>

type LedgerLog = Pick<FastifyBaseLogger, 'warn'>

/**
 * The ledger of a server, for a site's folder; nothing is opened before its first use. What can never be written gives
 * way to the memory of the process, with one warning. Throws HYD_OPTION_INVALID for a place that is none.
 */
export function createLedger(siteDir: string, { ledger, ledgerLimits }: LedgerOptions, log: LedgerLog): Ledger {
  const limits = toLimits(ledgerLimits)
  const place = readPlace(siteDir, ledger)
  switch (place.kind) {
    case 'none':
      return createNullLedger()
    case 'postgres':
      return withMemory(createPostgresLedger(place.url, limits), limits, log)
    case 'file': {
      const notice = (text: string) => log.warn(text)
      return withMemory(createThreadLedger({ file: place.file, limits }, notice), limits, log)
    }
  }
}

/**
 * The ledger that a server of that site writes, for a command that reads it: to be closed. Throws HYD_LEDGER_MISSING when there is none,
 * HYD_LEDGER_OFF for a site that keeps none, and what opening it throws.
 */
export async function openLedger(siteDir: string, { ledger, ledgerLimits }: LedgerOptions): Promise<Ledger> {
  const limits = toLimits(ledgerLimits)
  const place = readPlace(siteDir, ledger)
  if (place.kind === 'none') throw createHydrantError('HYD_LEDGER_OFF', [siteDir])
  if (place.kind === 'postgres') return createPostgresLedger(place.url, limits)
  if (!existsSync(place.file)) {
    // A server without the driver writes no file: the missing driver is the cause.
    await loadDriver(place.file)
    throw createHydrantError('HYD_LEDGER_MISSING', [place.file])
  }
  return readSqliteLedger(place.file, limits)
}

/** The same text for sites that share a ledger; null for no ledger. */
export function nameLedger(siteDir: string, { ledger }: Pick<LedgerOptions, 'ledger'>): string | null {
  const place = readPlace(siteDir, ledger)
  if (place.kind === 'none') return null
  return place.kind === 'file' ? place.file : place.url
}

type LedgerLocation = { kind: 'none' } | { kind: 'postgres'; url: string } | { kind: 'file'; file: string }

function readPlace(siteDir: string, ledger: Options['ledger']): LedgerLocation {
  if (ledger === false) return { kind: 'none' }
  if (/^postgres(?:ql)?:\/\//.test(ledger)) {
    // One for a socket names no host. Without the value, which may hold a password.
    if (parseUrl(ledger.replace('@/', '@socket/')) === null)
      throw invalid('a URL like postgres://user@host/database', 'a URL that cannot be parsed')
    return { kind: 'postgres', url: ledger }
  }
  const file = resolve(siteDir, ledger)
  const [folder] = relative(siteDir, file).split(sep)
  if (folder === 'public') throw invalid('a file outside of public/, whose files everyone can read', showValue(ledger))
  return { kind: 'file', file }
}

function invalid(expected: string, given: string) {
  return createHydrantError('HYD_OPTION_INVALID', ['ledger', expected, given])
}

const DAY_MS = 86_400_000

function toLimits({ maxAgeDays, ...limits }: Options['ledgerLimits']): LedgerLimits {
  return { ...limits, maxAgeMs: maxAgeDays * DAY_MS }
}

/** Faults that do not pass while the process runs. */
const LASTING = [
  'HYD_LEDGER_SQLITE_MISSING',
  'HYD_LEDGER_SQLITE_UNFIT',
  'HYD_LEDGER_PG_MISSING',
  'HYD_LEDGER_UNWRITABLE',
  'HYD_LEDGER_NEWER',
]
const MAX_MEMORY_BYTES = 20_000_000

function withMemory(store: Ledger, limits: LedgerLimits, log: LedgerLog): Ledger {
  let memory: Ledger | null = null

  function giveWay(error: HydrantError): Ledger {
    if (memory) return memory
    log.warn({ err: error }, `failures are kept in memory until the server stops: ${error.message}. ${error.fix}`)
    memory = createMemoryLedger({ ...limits, maxBytes: Math.min(limits.maxBytes, MAX_MEMORY_BYTES) })
    return memory
  }

  return createDelegateLedger(
    async (work) => {
      if (memory) return work(memory)
      try {
        return await work(store)
      } catch (error) {
        if (!isLasting(error)) throw error
        return work(giveWay(error))
      }
    },
    () => store.close(),
  )
}

function isLasting(error: unknown): error is HydrantError {
  return error instanceof Error && 'code' in error && LASTING.includes(String(error.code))
}
