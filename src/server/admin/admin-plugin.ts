import type { FastifyInstance } from 'fastify'
import { type AppSite, claimBase, findAppSites } from '../context/app-sites.ts'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { addFirstHook } from '../guards/first-hook.ts'
import { HIDDEN } from '../http/own-routes.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { nameLedger } from '../ledger/open-ledger.ts'
import { addRequestCounts, createRequestMetrics } from '../metrics/request-metrics.ts'
import { rules } from '../options/rules.ts'
import { closestMatch } from '../util/closest-match.ts'
import { addGuard } from './access.ts'
import { createAuth } from './auth.ts'
import { addLock } from './lock.ts'
import type { MetricsSource } from './metrics.ts'
import { addDesk, addMetrics } from './start-admin.ts'

/** Options of `hydrant.admin`. */
export interface AdminPluginOptions {
  /**
   * Who lets people in. 'token': the console itself, by `token`. 'app': hooks of the scope in which it is registered; when they
   * let a stranger pass, the console answers nobody. 'none': nobody does, for an app that only operators reach ('token').
   */
  auth?: 'token' | 'app' | 'none'
  /** What operators sign in with, at least 16 characters; `HYDRANT_ADMIN_TOKEN` keeps it out of the code (none). */
  token?: string
  /** For who may read, and change nothing; `HYDRANT_ADMIN_READ_TOKEN` keeps it out of the code (none). */
  readToken?: string
  /** The base of one site, with the prefix of its scope: '/shop' (all sites that are registered before). */
  site?: string
  /** 'metrics' for `/metrics` alone, to be guarded in another way than the console (all). */
  only?: 'metrics'
}

/** The console, its API and the metrics, below the prefix of the scope. */
export async function mountAdmin(app: FastifyInstance, given: AdminPluginOptions): Promise<void> {
  const { auth, tokens, site, only } = checkOptions(given)
  const sites = findAppSites(app, site)
  const { options } = sites.find((one) => one.options.ledger !== false) ?? sites[0]
  const prefix = app.prefix || '/'
  claimBase(app, prefix, only === 'metrics' ? 'metrics' : 'the console')
  // Not for @fastify/swagger: it is no interface of the app's.
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, ...HIDDEN }
  })
  const door = createAuth(tokens, undefined, undefined, prefix)
  addFirstHook(app, { securityHeaders: true })
  addGuard(app, door, () => null)
  if (auth === 'app') addLock(app)
  const writer = { stats: () => sumStats(sites) }
  addMetrics(app, await countSites(app, sites), writer)
  if (only === 'metrics') return
  const ledgers = new Map<string | null, Ledger>(
    sites.map((one) => [nameLedger(one.dir, one.options), one.keeper.ledger]),
  )
  if (ledgers.size > 1) ledgers.delete(null)
  const [first, ...others] = ledgers.values()
  // Of several sites "new" means that of the first, where no release is named.
  const currentRelease = () => sites[0].release
  if (first) await addDesk(app, { ledgers: [first, ...others], door, currentRelease, options })
}

function checkOptions(given: AdminPluginOptions & { prefix?: string }) {
  const { prefix: _prefix, auth = 'token', token, readToken, site, only, ...others } = given
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    const meant = closestMatch(unknown, ['auth', 'token', 'readToken', 'site', 'only', 'prefix'])
    throw createHydrantError('HYD_OPTION_UNKNOWN', [unknown, meant ? `; did you mean "${meant}"?` : ''])
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

/** What is given, or what the environment has; empty for none. */
function findToken(auth: string, name: keyof typeof VARIABLES, given: string | undefined): string {
  if (auth !== 'token' && given !== undefined) throw invalid(name, `left out when "auth" is "${auth}"`, 'a token')
  const token = given ?? (auth === 'token' ? process.env[VARIABLES[name]] : undefined) ?? ''
  const { expected, accepts } = rules[`admin.${name}`]
  if (token !== '' && !accepts(token)) throw invalid(name, expected, 'a secret value')
  return token
}

function invalid(name: string, expected: string, got: string) {
  return createHydrantError('HYD_OPTION_INVALID', [name, expected, got])
}

async function countSites(app: FastifyInstance, sites: readonly AppSite[]): Promise<MetricsSource> {
  const sitesMetrics = await Promise.all(sites.map((site) => site.measure()))
  const own = createRequestMetrics()
  own.recorder.countConnections(app.server)
  return {
    async counts() {
      // Of the process, whose connections and log all sites share.
      const { connections, logLinesLost } = own.read()
      return { ...addRequestCounts(sitesMetrics.map(({ read }) => read())), connections, logLinesLost }
    },
    processes: null,
    served: () => [...new Map(sites.map(({ release, build }) => [`${release} ${build}`, { release, build }])).values()],
    workersLost: () => 0,
    lastReload: () => null,
  }
}

function sumStats(sites: readonly AppSite[]) {
  const all = sites.map(({ keeper }) => keeper.writer.stats())
  return {
    queued: all.reduce((sum, { queued }) => sum + queued, 0),
    written: all.reduce((sum, { written }) => sum + written, 0),
    dropped: all.reduce((sum, { dropped }) => sum + dropped, 0),
  }
}
