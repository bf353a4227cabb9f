import type { FastifyPluginAsync } from 'fastify'
import type { AdminPluginOptions } from './admin/admin-plugin.ts'
import { buildFolder, readConfig, readManifest } from './build-output/read-build.ts'
import { addAppSite, claimBase } from './context/app-sites.ts'
import { failRoute, failStream } from './failures/site-failures.ts'
import { watchLateBodies } from './guards/connection-limits.ts'
import { addFirstHook } from './guards/first-hook.ts'
import { addHostGuard } from './guards/refused-requests.ts'
import { takeLateErrors } from './http/request-log.ts'
import { createFailureStore } from './ledger/failure-store.ts'
import { checkLedger } from './ledger/open-ledger.ts'
import { closeUnusedConnections } from './lifecycle/drain-connections.ts'
import { addWatchdog } from './lifecycle/watchdog.ts'
import { measureRequests, NO_METRICS } from './metrics/metrics-recorder.ts'
import type { RequestMetrics } from './metrics/request-metrics.ts'
import type { SiteOptions } from './options/config.ts'
import { resolveOptions } from './options/resolve-options.ts'
import { joinBases, mountSite } from './site/mount-site.ts'

/** Options of the Fastify plugin: those of the site, and where its build is. */
export interface PluginOptions extends SiteOptions {
  /** The site's folder, absolute or relative to the working directory. */
  dir: string
  /** The folder of the build, absolute or relative to the working directory (`<dir>/.hydrant`). */
  buildDir?: string
}

// The watchdog ends the process, so an app has to turn it on itself.
const DEFAULTS = { 'timeouts.hangMs': 0 }

// Fastify and tracing tools use the name of the function as the name of the plugin.
const plugin: FastifyPluginAsync<PluginOptions> = async function hydrant(app, given) {
  const { dir, buildDir, prefix: _, ...options } = given as PluginOptions & { prefix?: string }
  const folder = buildFolder(dir, buildDir)
  const manifest = readManifest(folder)
  const config = await readConfig(folder)
  const resolved = resolveOptions({ env: process.env, config, given: options, scope: 'site', defaults: DEFAULTS })
  const base = joinBases(app.prefix, resolved.base)
  claimBase(app, base, `the site in ${dir}`)
  addFirstHook(app, resolved)
  addHostGuard(app, resolved.hosts)
  watchLateBodies(app, 'requestTimeout')
  takeLateErrors(app, { failRoute, failStream })
  await checkLedger(dir, resolved)
  const store = createFailureStore(dir, resolved, app.log)
  app.addHook('onClose', store.close)
  let recorder = NO_METRICS
  measureRequests(app, () => recorder)
  const { failures, cache, release, build, startMeasuring } = await mountSite(app, { folder, manifest }, resolved, {
    store,
  })
  let metrics: Promise<RequestMetrics> | undefined
  async function startMetrics(): Promise<RequestMetrics> {
    const { createRequestMetrics } = await import('./metrics/request-metrics.ts')
    const created = createRequestMetrics(release)
    store.subscribe(created.countFailure)
    recorder = created.recorder
    startMeasuring(recorder)
    return created
  }
  const measure = () => {
    metrics ??= startMetrics()
    return metrics
  }
  addWatchdog(app, resolved.timeouts.hangMs)
  closeUnusedConnections(app)
  addAppSite(app, {
    base,
    dir,
    folder,
    release,
    build,
    options: resolved,
    store,
    failures,
    cache,
    measure,
    times: null,
  })
}

const admin: FastifyPluginAsync<AdminPluginOptions> = async function hydrantAdmin(app, given) {
  // Loaded only when the console is registered.
  const { mountAdmin } = await import('./admin/admin-plugin.ts')
  await mountAdmin(app, given)
}

/**
 * The Fastify plugin that serves a built site from your app: `await app.register(hydrant, { dir: './my-site' })`. The
 * other routes, hooks, decorators and the error handler of the app work as before. Environment variables
 * (`HYDRANT_…`) override these options, which override the site's `hydrant.config.ts`. The site is mounted at
 * Fastify's `prefix` followed by `base`.
 *
 * Rejects with HYD_BUILD_MISSING, HYD_BUILD_INCOMPLETE, HYD_BUILD_VERSION or HYD_BUILD_BROKEN for the build, with
 * HYD_OPTION_UNKNOWN, HYD_OPTION_INVALID or HYD_LEDGER_FOREIGN for an option, and with HYD_REACT_DEVELOPMENT,
 * HYD_REACT_MIXED or HYD_REACT_SERVER_MIXED for React. If the base is in use, it rejects with HYD_BASE_TAKEN. It also rejects with
 * HYD_FUNCTION_EXPORT, HYD_COMPONENT_EXPORT, HYD_GUARD_EXPORT, HYD_SCHEMA_INVALID, HYD_CACHE_INVALID,
 * HYD_PRERENDER_INVALID, HYD_VISITOR_LOAD or HYD_HYDRATE_EXPORT for an export of the site, with
 * HYD_CACHE_STORE_PACKAGE, and with the error that `server.ts` throws (HYD_SERVER_THREW if it is not an Error).
 *
 * `hydrant.admin` is the plugin that serves the operators' console, its JSON API and metrics for the sites that are
 * already registered: `await app.register(hydrant.admin, { prefix: '/ops' })`. Rejects with HYD_ADMIN_UNGUARDED if
 * `auth` is `'token'` and there is no token, and with HYD_SITE_UNKNOWN, HYD_BASE_TAKEN, HYD_OPTION_UNKNOWN or
 * HYD_OPTION_INVALID.
 */
export const hydrant = Object.assign(plugin, { admin })
