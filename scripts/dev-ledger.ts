import type { Options } from '../src/server/options/options.ts'

/** The ledger file of `hydrant dev`, in the site's folder. It is separate from the ledger of production. */
export const DEV_LEDGER = '.hydrant-dev-errors.db'

/** Returns the options with the development ledger: a ledger that they name belongs to production. */
export function withDevLedger(options: Options): Options {
  return options.ledger === false ? options : { ...options, ledger: DEV_LEDGER }
}
