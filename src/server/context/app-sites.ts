import type { RawServerBase } from 'fastify'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { Failures } from '../failures/failures.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { Options } from '../options/options.ts'

/** A site that the plugin serves in an app. */
export interface AppSite {
  /** Where it is mounted, with the prefix of its scope. */
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
  /** Begins to measure the site, with the first call. */
  measure(): Promise<RequestMetrics>
}

interface AppSites {
  sites: AppSite[]
  /** What is mounted at a base. */
  mounted: Map<string, string>
}

/** By the server, which all instances of an app share. */
const apps = new WeakMap<RawServerBase, AppSites>()

interface App {
  server: RawServerBase
}

function sitesIn({ server }: App): AppSites {
  const known = apps.get(server) ?? { sites: [], mounted: new Map<string, string>() }
  apps.set(server, known)
  return known
}

/** Throws HYD_BASE_TAKEN when another site, or the console, is mounted there. */
export function claimBase(app: App, base: string, what: string) {
  const { mounted } = sitesIn(app)
  const other = mounted.get(base)
  if (other !== undefined) throw createHydrantError('HYD_BASE_TAKEN', [what, base, other])
  mounted.set(base, what)
}

export function addAppSite(app: App, site: AppSite) {
  sitesIn(app).sites.push(site)
}

/** The sites that are registered so far: all, or the one at that base. Throws HYD_SITE_UNKNOWN when there is none. */
export function findAppSites(app: App, base?: string): [AppSite, ...AppSite[]] {
  const { sites } = sitesIn(app)
  const [first, ...others] = base === undefined ? sites : sites.filter((site) => site.base === base)
  if (first) return [first, ...others]
  const bases = sites.map((site) => JSON.stringify(site.base)).join(', ')
  throw createHydrantError('HYD_SITE_UNKNOWN', [base === undefined ? '' : ` at "${base}"`, bases || 'none'])
}
