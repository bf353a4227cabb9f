import type { RawServerBase } from 'fastify'
import type { SiteCache } from '../cache/app-page-cache.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { Failures } from '../failures/failures.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { Options } from '../options/options.ts'

/** A site that the plugin serves in an app. */
export interface AppSite {
  /** Path that it is mounted at, with the prefix of its scope. */
  base: string
  /** The site's folder. */
  dir: string
  /** The build's folder. */
  folder: string
  /** The option, or the build's id. */
  release: string
  /** The build's id. */
  build: string
  options: Options
  store: FailureStore
  failures: Failures
  /** Null for a site without stored pages. */
  cache: SiteCache | null
  /** Returns the site's metrics. The first call starts to measure. */
  measure(): Promise<RequestMetrics>
  /** What writes its times, and the name of the ledger that has them; null before the first console. */
  times: { ledger: string | null; refresh(): Promise<void> } | null
}

interface AppSites {
  sites: AppSite[]
  /** Descriptions of the site or the console at each base. */
  mounted: Map<string, string>
}

/** Keyed by the server, which all instances of an app share. */
const apps = new WeakMap<RawServerBase, AppSites>()

interface App {
  server: RawServerBase
}

function sitesIn({ server }: App): AppSites {
  const app = apps.get(server) ?? { sites: [], mounted: new Map<string, string>() }
  apps.set(server, app)
  return app
}

/** Reserves a base for a site or the console. Throws HYD_BASE_TAKEN when it is taken. */
export function claimBase(app: App, base: string, what: string) {
  const { mounted } = sitesIn(app)
  const other = mounted.get(base)
  if (other !== undefined) throw createHydrantError('HYD_BASE_TAKEN', [what, base, other])
  mounted.set(base, what)
}

export function addAppSite(app: App, site: AppSite) {
  sitesIn(app).sites.push(site)
}

/**
 * Returns the sites that are registered so far: all, or the one at `base`. Throws HYD_SITE_UNKNOWN when there is
 * none.
 */
export function findAppSites(app: App, base?: string): [AppSite, ...AppSite[]] {
  const { sites } = sitesIn(app)
  const [first, ...others] = base === undefined ? sites : sites.filter((site) => site.base === base)
  if (first) return [first, ...others]
  const bases = sites.map((site) => `one at ${JSON.stringify(site.base)}`).join(', ')
  throw createHydrantError('HYD_SITE_UNKNOWN', [base === undefined ? '' : ` at "${base}"`, bases || 'none yet'])
}
