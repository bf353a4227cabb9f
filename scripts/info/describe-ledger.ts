import { resolve } from 'node:path'
import { openLedger } from '../../src/server/ledger/open-ledger.ts'
import { loadDriver } from '../../src/server/ledger/sqlite/driver.ts'
import type { Options } from '../../src/server/options/options.ts'
import { isPostgresUrl } from '../../src/server/postgres/database-url.ts'
import { hasCode, messageOf } from '../../src/server/util/message-of.ts'

/** Describes the site's ledger: its kind, whether it can be read, and the driver of SQLite. */
export async function describeLedger(siteDir: string, options: Options): Promise<Record<string, string>> {
  const { ledger } = options
  const kind = ledger === false ? 'none' : isPostgresUrl(ledger) ? 'PostgreSQL' : 'SQLite'
  return {
    kind,
    ...(kind === 'none' ? {} : { opens: await tryToOpen(siteDir, options) }),
    driver: await attempt(async () => {
      const { name, reason } = await loadDriver(ledger === false ? 'SQLite' : resolve(siteDir, 'hydrant-errors.db'))
      return reason === null ? name : `${name}, because @photostructure/sqlite cannot be loaded: ${reason}`
    }),
  }
}

function tryToOpen(siteDir: string, options: Options): Promise<string> {
  return attempt(async () => {
    const ledger = await openLedger(siteDir, options)
    try {
      await ledger.list({ limit: 1 })
      return 'yes'
    } finally {
      await ledger.close()
    }
  })
}

async function attempt(work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    return hasCode(error, 'HYD_LEDGER_MISSING') ? 'there is no file yet' : `no: ${messageOf(error)}`
  }
}
