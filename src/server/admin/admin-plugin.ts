import { posix } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type AppSite, claimBase, findAppSites } from '../context/app-sites.ts'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { addFirstHook } from '../guards/first-hook.ts'
import { HIDDEN } from '../http/route-config.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { nameLedger } from '../ledger/open-ledger.ts'
import type { TimedKind } from '../ledger/times.ts'
import { addRequestCounts, createRequestMetrics, type RequestCounts } from '../metrics/request-metrics.ts'
import { addTimesCounts } from '../metrics/step-times.ts'
import { createInvalidOption } from '../options/options.ts'
import { rules } from '../options/rules.ts'
import { hintAtClosest } from '../util/closest-match.ts'
import { addAccessControl, createAuth } from './auth.ts'
import { createCacheReader, createCacheSource } from './cache-report.ts'
import { addConsoleAndApi, addMetrics } from './console.ts'
import { addLock } from './lock.ts'
import type { MetricsSource } from './metrics.ts'
import { createTimesWriter } from './times-writer.ts'

/** Options of `hydrant.admin`. */
export interface AdminPluginOptions {
  /**
   * Who authenticates operators (`'token'`). With `'token'`, the console asks for `token`. With `'app'`, the hooks of
   * the scope in which the console is registered do so. If they let an anonymous request pass, the console refuses
   * all requests. With `'none'`, every client has access: use it only in an app that only operators can reach.
   */
  auth?: 'token' | 'app' | 'none'
  /**
   * The token with which operators sign in: 16 to 200 printable ASCII characters without spaces (the variable
   * `HYDRANT_ADMIN_TOKEN`). Only for `auth: 'token'`, which needs one (HYD_ADMIN_UNGUARDED).
   */
  token?: string
  /**
   * A second token, which gives read-only access. It must differ from `token` (the variable
   * `HYDRANT_ADMIN_READ_TOKEN`; without it, there is none). Only for `auth: 'token'`.
   */
  readToken?: string
  /**
   * The base of the only site to show, with the prefix of its scope: `'/shop'`. HYD_SITE_UNKNOWN if there is no such
   * site (all sites that were registered before).
   */
  site?: string
  /** `'metrics'` adds only `/metrics`, so that you can protect it in a different way than the console (everything). */
  only?: 'metrics'
}

/**
 * Adds the console, its API and the metrics, below the prefix of the scope. Throws HYD_ADMIN_UNGUARDED,
 * HYD_BASE_TAKEN, HYD_OPTION_INVALID, HYD_OPTION_UNKNOWN and HYD_SITE_UNKNOWN.
 */
export async function mountAdmin(app: FastifyInstance, given: AdminPluginOptions): Promise<void> {
  const { auth, tokens, site, only } = checkOptions(given)
  const sites = findAppSites(app, site)
  const { options } = sites.find((one) => one.options.ledger !== false) ?? sites[0]
  const prefix = readPrefix(app)
  claimBase(app, prefix, only === 'metrics' ? 'metrics' : 'the console')
  // Hides the routes from @fastify/swagger: they are not part of the app's API.
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, ...HIDDEN }
  })
  const consoleAuth = createAuth(tokens, undefined, undefined, prefix)
  addFirstHook(app, { securityHeaders: true })
  addAccessControl(app, consoleAuth, () => null)
  if (auth === 'app') addLock(app)
  const writer = { stats: () => sumStats(sites) }
  const metricsSource = await createMetricsSource(app, sites)
  addMetrics(app, metricsSource, writer)
  if (only === 'metrics') return
  const ledgers = new Map<string | null, Ledger>(
    sites.map((one) => [nameLedger(one.dir, one.options), one.store.ledger]),
  )
  if (ledgers.size > 1) ledgers.delete(null)
  const source = createCacheSource(sites.flatMap((one) => one.cache ?? []))
  const cache = { read: createCacheReader(source, metricsSource), empty: source.empty }
  const [first, ...others] = ledgers.values()
  const [ledger = null] = ledgers.keys()
  // Several sites can have different releases; the first one decides.
  const currentRelease = () => sites[0].release
  if (!first) return
  // What another console writes must not count twice.
  const unwritten = sites.filter(({ times }) => times === null || !ledgers.has(times.ledger))
  if (unwritten.length > 0) {
    const isAll = unwritten.length === sites.length
    const times = createTimesWriter(isAll ? metricsSource : await createSitesSource(app, unwritten), first, app.log)
    app.addHook('onClose', times.close)
    for (const site of unwritten) site.times = { ledger, refresh: times.refresh }
  }
  const times = { refresh: async () => void (await Promise.all(sites.map(({ times }) => times?.refresh()))) }
  await addConsoleAndApi(app, { ledgers: [first, ...others], times, cache, auth: consoleAuth, currentRelease, options })
}

function readPrefix({ prefix }: FastifyInstance): string {
  // Links, cookies and the paths that need no token are made of the prefix.
  if (/[:*]/.test(prefix)) throw invalid('prefix', 'a path without parameters and wildcards', showValue(prefix))
  return prefix || '/'
}

function checkOptions(given: AdminPluginOptions & { prefix?: string }) {
  const { prefix: _prefix, auth = 'token', token, readToken, site, only, ...others } = given
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    const known = ['auth', 'token', 'readToken', 'site', 'only', 'prefix']
    throw createHydrantError('HYD_OPTION_UNKNOWN', [unknown, hintAtClosest(unknown, known)])
  }
  if (!['token', 'app', 'none'].includes(auth)) throw invalid('auth', '"token", "app" or "none"', showValue(auth))
  if (site !== undefined && typeof site !== 'string') throw invalid('site', 'the base of a site', showValue(site))
  if (only !== undefined && only !== 'metrics') throw invalid('only', '"metrics"', showValue(only))
  const tokens = { token: findToken(auth, 'token', token), readToken: findToken(auth, 'readToken', readToken) }
  if (auth === 'token' && tokens.token === '') throw createHydrantError('HYD_ADMIN_UNGUARDED', [])
  if (tokens.readToken !== '' && tokens.readToken === tokens.token)
    throw invalid('readToken', 'different from "token"', 'the same token')
  return { auth, tokens, site, only }
}

const VARIABLES = { token: 'HYDRANT_ADMIN_TOKEN', readToken: 'HYDRANT_ADMIN_READ_TOKEN' } as const

/** Returns the token of the options or of the environment; empty for none. */
function findToken(auth: string, name: keyof typeof VARIABLES, given: string | undefined): string {
  if (auth !== 'token' && given !== undefined) throw invalid(name, `left out when "auth" is "${auth}"`, 'a token')
  const variable = auth === 'token' ? process.env[VARIABLES[name]] : undefined
  const token = given ?? variable ?? ''
  const { expected, accepts } = rules[`admin.${name}`]
  if (token !== '' && !accepts(token))
    throw createInvalidOption(given === undefined ? VARIABLES[name] : name, expected, 'a secret value')
  return token
}

function invalid(name: string, expected: string, got: string) {
  return createHydrantError('HYD_OPTION_INVALID', [name, expected, got])
}

/** Returns what is measured of sites, without what is measured of the process. */
async function createSitesSource(app: FastifyInstance, sites: readonly AppSite[]): Promise<SitesSource> {
  const isOnly = findAppSites(app).length === 1
  const siteMetrics = await Promise.all(
    sites.map(async ({ base, measure }) => {
      const { read } = await measure()
      return isOnly || base === '/' ? read : () => nameTimes(base, read())
    }),
  )
  return {
    counts: async () => addRequestCounts(siteMetrics.map((read) => read())),
    served: () => [...new Map(sites.map(({ release, build }) => [`${release} ${build}`, { release, build }])).values()],
  }
}

type SitesSource = Pick<MetricsSource, 'counts' | 'served'>

async function createMetricsSource(app: FastifyInstance, sites: readonly AppSite[]): Promise<MetricsSource> {
  const { counts, served } = await createSitesSource(app, sites)
  const processMetrics = createRequestMetrics()
  processMetrics.recorder.countConnections(app.server)
  const stopWatching = processMetrics.watchSteps()
  app.addHook('onClose', async () => stopWatching())
  return {
    async counts() {
      // All sites share the connections, the event loop and the log of the process.
      const { connections, logLinesLost, times } = processMetrics.read()
      const sum = await counts()
      return { ...sum, connections, logLinesLost, times: addTimesCounts([sum.times, times]) }
    },
    processes: null,
    served,
    workersLost: () => 0,
    lastReload: () => null,
  }
}

/** Kinds of steps whose subject is a file. */
const FILE_KINDS: readonly TimedKind[] = ['guard', 'load', 'action', 'perRequest']

/** Names the places in the times of one of several sites by its base, as their routes and files can have the same names. */
function nameTimes(base: string, { times: { steps, slowest }, ...counts }: RequestCounts): RequestCounts {
  // Routes that are no pages contain the base already.
  const nameRoute = (route: string) => (`${route}/`.startsWith(`${base}/`) ? route : posix.join(base, route))
  const nameSubject = <Place extends { kind: TimedKind; subject: string }>(place: Place): Place =>
    FILE_KINDS.includes(place.kind) ? { ...place, subject: posix.join(base, place.subject).slice(1) } : place
  const times = {
    steps: steps.map((step) => ({ ...nameSubject(step), route: nameRoute(step.route) })),
    slowest: slowest.map((one) => ({ ...one, route: nameRoute(one.route), steps: one.steps.map(nameSubject) })),
  }
  return { ...counts, times }
}

function sumStats(sites: readonly AppSite[]) {
  const all = sites.map(({ store }) => store.writer.stats())
  return {
    queued: all.reduce((sum, { queued }) => sum + queued, 0),
    written: all.reduce((sum, { written }) => sum + written, 0),
    dropped: all.reduce((sum, { dropped }) => sum + dropped, 0),
    inMemory: all.reduce((sum, { inMemory }) => sum + inMemory, 0),
  }
}
