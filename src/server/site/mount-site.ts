import { inspect } from 'node:util'
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import { ASSETS_PATH, withBase } from '../../shared/paths.ts'
import { type BuildFiles, type LiveBuild, loadBuild, type Route } from '../build-output/load-build.ts'
import { addSitePages, createSiteCache, type SiteCache } from '../cache/app-page-cache.ts'
import type { ResponseCollector } from '../cache/prerendered-pages.ts'
import type { OpenCacheStore } from '../cache/shared/open-shared-store.ts'
import { loadRenderer, loadShellRenderer } from '../context/react-renderer.ts'
import type { Site } from '../context/site.ts'
import { NotFoundSignal } from '../errors/http-error.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { rememberSending } from '../failures/failure-context.ts'
import { createFailureListener, type Failures } from '../failures/failures.ts'
import { failRoute, registerFailures, watchErrorHandlers, watchHandler } from '../failures/site-failures.ts'
import { addCrossSiteGuard, guardRoute, leaveCheckTo } from '../guards/csrf.ts'
import { addLoadShedding } from '../guards/request-limits.ts'
import { addCompression } from '../http/compression.ts'
import { addNavigationStrategy, addUnknownStrategy, hasNotFoundHandler } from '../http/navigation-strategy.ts'
import { rememberHandlers } from '../http/route-config.ts'
import { addShellStreaming } from '../http/send-started.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import { addHealthRoutes, type Health } from '../lifecycle/shutdown.ts'
import { type MetricsRecorder, NO_METRICS } from '../metrics/metrics-recorder.ts'
import { publishEnv } from '../options/env-files.ts'
import type { Options } from '../options/options.ts'
import { warnOfCaughtSignals } from '../pages/development-notes.ts'
import { createErrorHandler } from '../pages/error-handler.ts'
import { prepareRoute } from '../pages/prepared-route.ts'
import { checkReact } from '../render/check-react.ts'
import { warmUpFailuresLater } from '../render/warm-up.ts'
import { computeOnce } from '../util/memoize.ts'
import { createSite, loadPrerendered, NOT_CHANGING, openChangingPages } from './create-site.ts'
import { addLiveUpdates } from './live-updates.ts'
import { addReportRoute } from './report-route.ts'
import { addOtherNavigations, addSiteRoutes, hintAtReplacedPages, warnOfHiddenPages } from './routes.ts'
import { addFiles } from './static-files.ts'

/** The parts that a site shares with the server or app around it. */
export interface SiteParts {
  /** Receives the site's failures. It has to outlive the instance. */
  store: FailureStore
  /** Records the metrics (`NO_METRICS`). */
  metrics?: MetricsRecorder
  /** Number of the worker that this process is; null for none (null). */
  worker?: string | null
  /** Opens the part of the page cache that the workers share (none). */
  openCacheStore?: OpenCacheStore
  /** A build whose code changes while it is served (the build in the folder). */
  live?: LiveBuild
  /** Takes the responses of prerendered pages while the site is built: nothing is stored then (none). */
  collector?: ResponseCollector
  /** Whether the documents are written to files, for a host without this server (false). */
  isExported?: boolean
}

/** A mounted site, for events outside of its requests. */
export interface ServedSite {
  /** The instance that `server.ts` got, with its decorators. */
  scope: FastifyInstance
  failures: Failures
  /** Null for a site without stored pages. */
  cache: SiteCache | null
  health: Health
  /** The release that failures are recorded with: the option, or the build's id. */
  release: string
  /** The build's id. */
  build: string
  /** Responds with 404, as a route of `server.ts` that calls `notFound()`. */
  respondNotFound(request: FastifyRequest, reply: FastifyReply): unknown
  /** Waits for the calls of `onFailure`. Closing the instance does the same. */
  settleFailures(): Promise<void>
  /** Starts to measure a site that was mounted without metrics. */
  startMeasuring(metrics: MetricsRecorder): void
}

/**
 * Adds a site's routes to an instance of its own: the scope of the plugin, or the one of `createServer`.
 *
 * The order of these steps is the security model. Fastify runs hooks in the order in which they were added. The hooks
 * of a parent instance run first, and those of a route last. A request passes:
 *
 * 1. `addFirstHook` and `addHostGuard`, which the server or the plugin has added to the instance: request id, length of
 *    the URL, order of pipelined requests, host name.
 * 2. `addLoadShedding`: an overloaded process refuses at once, except for assets.
 * 3. `addCrossSiteGuard`: no code of the site runs for a forged request, except for the `onRequest` hooks of a route of
 *    `server.ts`: one of them may allow other sites by CORS. `guardRoute` then decides, before the body is read.
 * 4. `addSitePlugin`: the hooks of `server.ts`, which may refuse the request. They hold for files and pages.
 * 5. `navigationOptions`, for a navigation: is the page the route that the same address without the mark leads to?
 * 6. The route's own `onRequest`: refuses methods that the page does not have, after the guards of the page, and responds
 *    to other methods than GET and HEAD at unknown paths. Neither reads the body.
 * 7. `refuseBeforeBody` and `refuseEncoded`, for an action: the guards of the page, before the body is read.
 * 8. The handler: a route of `server.ts`, a file (`addFiles`), a page, after its guards, or its action
 *    (`addSiteRoutes`). A route of `server.ts` or of the app replaces a page; `warnOfHiddenPages` runs before step 4, to
 *    warn of the app's only, and `hintAtReplacedPages` after it.
 *
 * Hooks that refuse nothing are left out: `measureRequests` in the plugin, and `addLiveUpdates` in development.
 *
 * A not-found handler of `server.ts` or of a scope of the app gets the paths below its prefix that have no route
 * (`forOwnUnknown`). If `server.ts` has one for all paths, the site has no routes for unknown paths, except for those that
 * have guards. The error handlers of `server.ts` are for its own routes: pages and files are in a scope beside them.
 *
 * A response passes the `onSend` hooks of `server.ts`, then `addShellStreaming` and `addCompression`, so that those hooks see
 * it uncompressed, and last `replaceForeignResponses`, for a navigation.
 *
 * Health routes, reports and, in a site without guards, other navigations are in scopes beside the site: the hooks of
 * `server.ts` do not run there.
 */
export async function mountSite(
  outer: FastifyInstance,
  files: BuildFiles,
  options: Options,
  { store, metrics = NO_METRICS, worker = null, openCacheStore, live, collector, isExported = false }: SiteParts,
): Promise<ServedSite> {
  const base = joinBases(outer.prefix, options.base)
  // The modules of the site may read it when they are loaded.
  const publicEnv = publishEnv(process.env)
  const build = live ? await live.open(base) : await loadBuild(files, base)
  const { buildId, mode } = build.manifest
  const release = options.release || buildId
  const settleFailures = addFailureListener(outer, options, store)
  const render = await loadRenderer(options.reactServer)
  await checkReact(render, mode)
  warmUpFailuresLater(render)
  const health = addHealthRoutes(outer, base)
  const pages = build.routes
  const prepare = computeOnce((route: Route) => prepareRoute(route, build))
  const hidden = warnOfHiddenPages(outer, { base, pages })
  addNavigationStrategy(outer)
  addUnknownStrategy(outer)
  const site = await registerBelow(outer, options.base, async (app, parent) => {
    const changing = collector ? null : await openChangingPages(app, build, options, openCacheStore)
    const { cache, live: livePages, pages: sitePages } = changing ?? NOT_CHANGING
    const prerendered = cache && loadPrerendered(app, build, { base, publicEnv })
    const shells =
      cache && pages.some(({ loadVisitor }) => loadVisitor !== null)
        ? await loadShellRenderer(options.reactServer)
        : null
    const policies =
      mode === 'development'
        ? (await import('../http/policy-watch.ts')).createPolicyWatch(app.log, build.entry.url)
        : null
    const created = createSite(app, {
      build,
      base,
      options,
      publicEnv,
      render,
      store,
      metrics,
      worker,
      release,
      cache,
      live: livePages,
      pages: sitePages,
      prerendered,
      collector: collector ?? null,
      isExported,
      shells,
      policies,
    })
    addSitePages(app, sitePages)
    if (live) {
      addLiveUpdates(created, prepare, live)
      warnOfCaughtSignals(created)
    }
    registerFailures(outer, created.failures)
    addErrorHandlers([outer, parent], created)
    const isHandlerTaken = hasNotFoundHandler(app)
    await addSiteHooks(created, options)
    const hasOwnHandler = !isHandlerTaken && hasNotFoundHandler(app)
    hintAtReplacedPages(app, { base, pages }, build.manifest.serverPlugin, hidden)
    // In a scope of its own: the error handlers of `server.ts` are for its own routes.
    await app.register(async function site(scope) {
      addErrorHandlers([scope], created)
      await addFiles(scope, created)
      await addSiteRoutes(scope, created, prepare, hasOwnHandler)
    })
    return created
  })
  if (options.reports.enabled) {
    // Loaded with the first report.
    const loadRecorder = async () => (await import('./record-report.ts')).createReportRecorder({ site, store, release })
    await outer.register(async (scope) => addReportRoute(scope, options, site, loadRecorder))
  }
  await outer.register(async (scope) => addOtherNavigations(scope, site))
  const cache = createCacheView(site)
  function startMeasuring(recorder: MetricsRecorder) {
    site.metrics = recorder
    measureState(site)
  }
  measureState(site)
  const respondToError = createErrorHandler(site)
  const respondNotFound: ServedSite['respondNotFound'] = (...pair) => respondToError(new NotFoundSignal(), ...pair)
  return {
    scope: site.app,
    failures: site.failures,
    cache,
    health,
    release,
    build: buildId,
    respondNotFound,
    settleFailures,
    startMeasuring,
  }
}

function measureState({ cache, live, slots, metrics }: Site) {
  metrics.countRenders(slots.counts)
  if (live) metrics.countStreams(() => live.count())
  if (!cache) return
  metrics.countStored(() => cache.counts())
  cache.measureStore(metrics)
}

function createCacheView({ cache, pages, build }: Site): SiteCache | null {
  const routes = build.routes.filter((route) => route.cache !== null).map(({ id }) => id)
  return cache && pages && createSiteCache(cache, pages, routes)
}

// Two instances around `server.ts`, as each has one error handler. If the response of the inner handler fails, Fastify
// calls the outer one, and not the handler of the app or its own, which could send the error's message.
function addErrorHandlers(instances: readonly FastifyInstance[], site: Site) {
  for (const instance of instances) instance.setErrorHandler(createErrorHandler(site))
}

async function addSiteHooks(site: Site, options: Options) {
  const { app, build } = site
  addLoadShedding(app, {
    maxDelayMs: options.limits.maxEventLoopDelayMs,
    assets: withBase(site.options.base, ASSETS_PATH),
    onShed: () => site.metrics.requestShed('event_loop'),
  })
  addCrossSiteGuard(app, options)
  site.failures.watchRequests(app)
  rememberSending(app)
  const stopWatching = watchErrorHandlers(app)
  const guarded: RouteOptions[] = []
  const stopRemembering = rememberHandlers(app, failRoute, (route) => {
    if (leaveCheckTo(route)) guarded.push(route)
    if (route.errorHandler) route.errorHandler = watchHandler(route.errorHandler)
  })
  await addSitePlugin(app, build.serverPlugin, build.manifest.serverPlugin ?? '')
  stopRemembering()
  stopWatching()
  // `onRoute` hooks of `server.ts` may have replaced the hooks of a route.
  for (const route of guarded) guardRoute(route, options)
  addShellStreaming(app, options)
  addCompression(app, options)
}

/** Registers a plugin in a scope below `base`, inside another scope. Returns its result when they are loaded. */
async function registerBelow<Result>(
  outer: FastifyInstance,
  base: string,
  plugin: (scope: FastifyInstance, parent: FastifyInstance) => Promise<Result>,
): Promise<Result> {
  const result = new Promise<Result>((resolve) => {
    // Fastify names the function if it takes too long.
    async function site(parent: FastifyInstance) {
      await parent.register(
        async function site(scope) {
          resolve(await plugin(scope, parent))
        },
        base === '/' ? {} : { prefix: base },
      )
    }
    outer.register(site)
  })
  // Rejects if the plugin does.
  await outer.after()
  return result
}

function addFailureListener(outer: FastifyInstance, { onFailure }: Options, store: FailureStore): () => Promise<void> {
  if (!onFailure) return async () => {}
  const { notify, settle } = createFailureListener(onFailure, outer.log)
  const unsubscribe = store.subscribe(notify)
  async function settleFailures() {
    // Other `onClose` hooks may still record failures in this turn of the event loop.
    await new Promise(setImmediate)
    await settle()
    unsubscribe()
  }
  outer.addHook('onClose', settleFailures)
  return settleFailures
}

/** Returns the path that a site is mounted at: the prefix of its scope, then its base. */
export function joinBases(prefix: string, base: string): string {
  if (prefix === '' || prefix === '/') return base
  return withBase(prefix.replace(/\/$/, ''), base)
}

/** Registers `server.ts` in the scope of the pages, for its hooks and decorators. Fastify's errors have the `name`. */
async function addSitePlugin(app: FastifyInstance, serverPlugin: unknown, name: string) {
  if (serverPlugin === null || serverPlugin === undefined) return
  // The build has checked that `server.ts` has a default export; Fastify checks that it is a plugin.
  const plugin = serverPlugin as FastifyPluginCallback & FastifyPluginAsync
  if (typeof plugin !== 'function') return void (await app.register(fp(plugin, { name })))
  // `fp` marks a function. These wrappers leave the site's own function without the mark.
  const wrapper = fp(plugin.length > 2 ? wrapCallback(plugin) : wrapAsync(plugin), { name })
  await app.register(wrapper)
}

function wrapCallback(plugin: FastifyPluginCallback): FastifyPluginCallback {
  return (instance, options, done) => {
    try {
      plugin(instance, options, done)
    } catch (thrown) {
      done(toError(thrown))
    }
  }
}

function wrapAsync(plugin: FastifyPluginAsync): FastifyPluginAsync {
  return async (instance, options) => {
    try {
      await plugin(instance, options)
    } catch (thrown) {
      throw toError(thrown)
    }
  }
}

const MAX_SHOWN = 80

// Fastify treats a plugin that rejects with `undefined` or `null` as started. The site would run without its guards.
function toError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : createHydrantError('HYD_SERVER_THREW', [inspect(thrown, { depth: 0 }).slice(0, MAX_SHOWN)], thrown)
}
