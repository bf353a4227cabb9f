import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { readManifest } from '../build-output/read-build.ts'
import { createFailureStore } from '../ledger/failure-store.ts'
import { callAll, joinLedgers } from '../ledger/joined-ledger.ts'
import type { AdminLedger, Ledger, ListQuery } from '../ledger/ledger.ts'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { readSlow, reportSlowRequest, type SlowReport, type SlowRequestReport } from '../ledger/slow-report.ts'
import { showAllControlCharacters } from '../log/control-characters.ts'
import type { Options } from '../options/options.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { mountSite } from '../site/mount-site.ts'
import { PACKAGE_FOLDER } from '../util/paths.ts'
import {
  addApi,
  addCacheApi,
  type ConsoleCache,
  createLedgerChanges,
  type FoundFailure,
  findFailure,
  type LedgerChanges,
  type LedgerResult,
  type ListPage,
  readPage,
  tryLedger,
} from './api.ts'
import type { Auth } from './auth.ts'
import { readSlowQuery, readTolerantListQuery, type TolerantListQuery } from './list-query.ts'
import { createMetrics, type MetricsSource } from './metrics.ts'
import type { TimesWriter } from './times-writer.ts'

/** What the console's pages use as `app.console`. */
export interface AdminConsole {
  /** False if the site has no ledger. */
  hasLedger: boolean
  /** Reads the filters of a URL, and leaves out invalid ones. */
  readQuery(params: URLSearchParams): TolerantListQuery
  /** Runs work on the ledger. Never rejects: the result says whether the ledger is available. */
  tryLedger<T>(work: (ledger: ConsoleLedger) => Promise<T>): Promise<LedgerResult<T>>
  /** The topics of the pages that show failures. Watches the ledger while one of them is open. */
  failureTopics(): string[]
  cache: ConsoleCache
  auth: Pick<Auth, 'isOpen' | 'mayChange' | 'signIn' | 'signOut'>
}

const MAX_TYPED = 100

/** The ledger as the pages use it. In all texts of clients, the characters that a terminal obeys are shown. */
export interface ConsoleLedger extends Pick<AdminLedger, 'hours' | 'releases'> {
  page(query: ListQuery, limit: number): Promise<ListPage>
  find(typed: string): Promise<FoundFailure & { typed: string }>
  /** Marks a failure as solved, or reopens it. Resolves to false if the ledger does not have it. */
  setSolved(fingerprint: string, isSolved: boolean): Promise<boolean>
  /** Reports what takes the time. Invalid parameters of a URL are left out; `problem` describes one of them. */
  slow(params: URLSearchParams): Promise<{ report: SlowReport; problem: string | null }>
  /** Reports the request with the id that was typed. */
  slowRequest(typed: string): Promise<FoundRequest>
}

type FoundRequest = { kind: 'found'; request: SlowRequestReport } | { kind: 'unknown'; typed: string }

export interface ConsoleSettings {
  auth: Auth
  cache: ConsoleCache
  /** Returns the release that "new" refers to in a list that names no release. */
  currentRelease(): string
  options: Pick<Options, 'ledger' | 'reactServer'>
}

/** In an app, its sites have topics too. */
const FAILURES = 'hydrant:failures'

/** The build of the site in `console/`, which is part of the package. */
const FOLDER = join(PACKAGE_FOLDER, 'console', '.hydrant')

/** Adds the pages of the console. It needs a Fastify scope of its own. */
export async function addConsole(
  app: FastifyInstance,
  ledger: AdminLedger,
  changes: LedgerChanges,
  { auth, cache, currentRelease, options: siteOptions }: ConsoleSettings,
) {
  const consoleLedger: ConsoleLedger = {
    hours: ledger.hours,
    releases: ledger.releases,
    async page(query, limit) {
      const { failures, next } = await readPage(ledger, query, limit)
      return { failures: showAllControlCharacters(failures), next }
    },
    find: async (typed) =>
      showAllControlCharacters({ ...(await findFailure(ledger, typed)), typed: typed.slice(0, MAX_TYPED) }),
    async setSolved(fingerprint, isSolved) {
      const isKnown = await ledger.setSolved(fingerprint, isSolved ? Date.now() : null)
      changes.check()
      return isKnown
    },
    async slow(params) {
      const { query, problem } = readSlowQuery(params, Date.now())
      return showAllControlCharacters({ report: await readSlow(ledger, query), problem })
    },
    async slowRequest(typed) {
      const found = await ledger.slowRequest(typed.trim())
      const result: FoundRequest = found
        ? { kind: 'found', request: reportSlowRequest(found) }
        : { kind: 'unknown', typed: typed.slice(0, MAX_TYPED) }
      return showAllControlCharacters(result)
    },
  }
  const publish = () => void app.live.publish(FAILURES)
  const isWatched = () => app.live.count(FAILURES) > 0
  const console: AdminConsole = {
    hasLedger: siteOptions.ledger !== false,
    readQuery: (params) => readTolerantListQuery(params, Date.now(), currentRelease()),
    tryLedger: (work) => tryLedger(() => work(consoleLedger), app.log),
    failureTopics() {
      changes.listen(publish, isWatched)
      return [FAILURES]
    },
    cache: { ...cache, read: async () => showAllControlCharacters(await cache.read()) },
    auth,
  }
  app.decorate('console', console)
  // The options are not read from the environment, whose variables are for the site.
  const options = resolveOptions({ scope: 'site', given: { reactServer: siteOptions.reactServer } })
  // The console logs its own failures and keeps them in no ledger: it displays those of the site.
  const store = createFailureStore(FOLDER, { ...options, ledger: false }, app.log)
  await mountSite(app, { folder: FOLDER, manifest: readManifest(FOLDER) }, options, { store })
}

/** Adds `/metrics`. */
export function addMetrics(app: FastifyInstance, source: MetricsSource, writer: Pick<LedgerWriter, 'stats'>) {
  const metrics = createMetrics(source, writer)
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()))
}

export interface ConsoleInput extends ConsoleSettings {
  /** Shown as one ledger. */
  ledgers: readonly [Ledger, ...Ledger[]]
  times: Pick<TimesWriter, 'refresh'>
}

export async function addConsoleAndApi(app: FastifyInstance, { ledgers, times, ...settings }: ConsoleInput) {
  const ledger = withCurrentTimes(joinLedgers(ledgers), times)
  const changes = createLedgerChanges({
    list: async (query) => (await callAll(ledgers, ({ list }) => list(query))).flat(),
  })
  app.addHook('onClose', async () => changes.close())
  await app.register(async (scope) => addApi(scope, ledger, changes, settings.currentRelease))
  addCacheApi(app, settings.cache)
  await app.register(async (scope) => addConsole(scope, ledger, changes, settings))
}

/** Writes the times of this server before they are read. */
function withCurrentTimes(ledger: AdminLedger, { refresh }: Pick<TimesWriter, 'refresh'>): AdminLedger {
  const current: Pick<AdminLedger, 'times' | 'slowRequest'> = {
    async times(sinceSlot) {
      await refresh()
      return ledger.times(sinceSlot)
    },
    async slowRequest(id) {
      await refresh()
      return ledger.slowRequest(id)
    },
  }
  // The other methods are those of the ledger.
  return Object.assign(Object.create(ledger) as AdminLedger, current)
}
