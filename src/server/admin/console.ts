import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { createKeeper } from '../ledger/keeper.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Options, resolveOptions } from '../options.ts'
import { serveSite } from '../serve-site.ts'
import type { Changes } from './changes.ts'
import type { Door } from './door.ts'
import { type FoundFailure, findFailure } from './find-failure.ts'
import { type ReadQuery, readListQuery } from './list-query.ts'

/** What the pages of the console have as `app.console`. */
export interface AdminConsole extends Pick<Ledger, 'list' | 'hours'> {
  /** False when the site keeps no failures. */
  hasLedger: boolean
  /** Reads what was typed into the filters. */
  readQuery(params: URLSearchParams): ReadQuery
  find(typed: string): Promise<FoundFailure>
  /** False for a cause that is not kept. */
  setSolved(cause: string, isSolved: boolean): Promise<boolean>
  door: Pick<Door, 'isOpen' | 'signIn' | 'signOut'>
}

/** The site in `console/`, as the package brings it. */
const FOLDER = fileURLToPath(new URL('../../../../console/.hydrant', import.meta.url))

/** Serves the console. To be registered as a scope of its own. */
export async function addConsole(
  app: FastifyInstance,
  ledger: Ledger,
  changes: Changes,
  door: Door,
  siteOptions: Pick<Options, 'ledger' | 'reactServer'>,
) {
  const own: AdminConsole = {
    hasLedger: siteOptions.ledger !== false,
    list: ledger.list,
    hours: ledger.hours,
    readQuery: (params) => readListQuery(params, Date.now()),
    find: (typed) => findFailure(ledger, typed),
    async setSolved(cause, isSolved) {
      const isKnown = await ledger.setSolved(cause, isSolved ? Date.now() : null)
      changes.look()
      return isKnown
    },
    door,
  }
  app.decorate('console', own)
  // The environment is the site's.
  const options = resolveOptions({ scope: 'site', given: { reactServer: siteOptions.reactServer } })
  // Its own failures are in the log only: what it shows are those of the site.
  const keeper = createKeeper(FOLDER, { ...options, ledger: false }, app.log)
  await serveSite(app, FOLDER, options, { keeper })
}
