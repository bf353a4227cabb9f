import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { createFailureStore } from '../ledger/failure-store.ts'
import type { AskedLedger, ListQuery } from '../ledger/ledger.ts'
import type { Options } from '../options/options.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { mountSite } from '../site/mount-site.ts'
import { type Asked, askLedger } from './ask-ledger.ts'
import type { Auth } from './auth.ts'
import { type FoundFailure, findFailure } from './find-failure.ts'
import type { Changes } from './ledger-changes.ts'
import { type ListPage, readPage } from './list-page.ts'
import { type ReadQuery, readListQuery } from './list-query.ts'

/** What the pages of the console have as `app.console`. */
export interface AdminConsole {
  /** False when the site keeps no failures. */
  hasLedger: boolean
  /** Reads what was typed into the filters. */
  readQuery(params: URLSearchParams): ReadQuery
  /** Asks the ledger. Never rejects for what the ledger does. */
  ask<T>(work: (ledger: ConsoleLedger) => Promise<T>): Promise<Asked<T>>
  door: Pick<Auth, 'isOpen' | 'mayChange' | 'signIn' | 'signOut'>
}

/** What the pages may ask of the ledger. */
export interface ConsoleLedger extends Pick<AskedLedger, 'hours' | 'releases'> {
  page(query: ListQuery, limit: number): Promise<ListPage>
  find(typed: string): Promise<FoundFailure>
  /** Resolves to false for a failure that is not kept. */
  setSolved(fingerprint: string, isSolved: boolean): Promise<boolean>
}

/** The site in `console/`, as the package brings it. */
const FOLDER = fileURLToPath(new URL('../../../../console/.hydrant', import.meta.url))

/** Serves the console. To be registered as a scope of its own. */
export async function addConsole(
  app: FastifyInstance,
  ledger: AskedLedger,
  changes: Changes,
  door: Auth,
  currentRelease: () => string,
  siteOptions: Pick<Options, 'ledger' | 'reactServer'>,
) {
  const own: ConsoleLedger = {
    hours: ledger.hours,
    releases: ledger.releases,
    page: (query, limit) => readPage(ledger, query, limit),
    find: (typed) => findFailure(ledger, typed),
    async setSolved(fingerprint, isSolved) {
      const isKnown = await ledger.setSolved(fingerprint, isSolved ? Date.now() : null)
      changes.look()
      return isKnown
    },
  }
  const console: AdminConsole = {
    hasLedger: siteOptions.ledger !== false,
    readQuery: (params) => readListQuery(params, Date.now(), currentRelease()),
    ask: (work) => askLedger(() => work(own), app.log),
    door,
  }
  app.decorate('console', console)
  // The environment is the site's.
  const options = resolveOptions({ scope: 'site', given: { reactServer: siteOptions.reactServer } })
  // Its own failures are in the log only: what it shows are those of the site.
  const keeper = createFailureStore(FOLDER, { ...options, ledger: false }, app.log)
  await mountSite(app, FOLDER, options, { keeper })
}
