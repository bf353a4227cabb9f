import type { Options } from '../src/server/options/options.ts'

/** Where failures of a site that is being developed are kept, in its folder: never among those of visitors. */
export const DEV_LEDGER = '.hydrant-dev-errors.db'

/** The options of a site that is being developed: whatever ledger they name is production's. */
export function withDevLedger(options: Options): Options {
  return options.ledger === false ? options : { ...options, ledger: DEV_LEDGER }
}
