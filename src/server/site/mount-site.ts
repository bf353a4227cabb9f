import { inspect } from 'node:util'
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import fp from 'fastify-plugin'
import { ASSETS_PATH, withBase } from '../../shared/paths.ts'
import { type Build, loadBuild } from '../build-output/load-build.ts'
import { readManifest } from '../build-output/read-build.ts'
import { loadRenderer } from '../context/react-renderer.ts'
import { RenderSlots } from '../context/render-slots.ts'
import type { Site } from '../context/site.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { ownOrigin } from '../errors/process-origin.ts'
import { registerFailures } from '../failures/digest-of.ts'
import { createFailures, type Failures } from '../failures/failures.ts'
import { createFailureListener } from '../failures/on-failure.ts'
import type { SiteFiles } from '../failures/stacks/place-frames.ts'
import { createSourceMapper } from '../failures/stacks/source-map.ts'
import { createUploadSpace } from '../forms/upload-files.ts'
import { addCrossSiteGuard } from '../guards/csrf.ts'
import { addLoadShedding } from '../guards/load-shedding.ts'
import { addCompression } from '../http/compression.ts'
import { addNavigationStrategy } from '../http/navigation-strategy.ts'
import { createPolicyWatch } from '../http/policy-watch.ts'
import { noteHandlers } from '../http/route-handlers.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import { addHealthRoutes, type Health } from '../lifecycle/health.ts'
import { type MetricsRecorder, NO_METRICS } from '../metrics/metrics-recorder.ts'
import type { Options } from '../options/options.ts'
import { createPageRoute } from '../pages/page-route.ts'
import { serveError } from '../pages/serve-error.ts'
import { checkReact } from '../render/check-react.ts'
import { warmUpFailures } from '../render/warm-up.ts'
import { addReportRoute } from '../reports/report-route.ts'
import { warnOfHiddenPages } from './hidden-pages.ts'
import { addOtherNavigations } from './navigation-routes.ts'
import { addSiteRoutes } from './routes.ts'
import { addFiles } from './static-files.ts'

/** What a site is given by who serves it. */
export interface SiteParts {
  /** Where its failures go; it has to outlive the instance. */
  store: FailureStore
  /** Records the metrics (`NO_METRICS`). */
  metrics?: MetricsRecorder
  /** Number of the worker whose process this is; null for none (null). */
  worker?: string | null
}

/** What a site that is served has for what happens outside of its requests. */
export interface ServedSite {
  failures: Failures
  health: Health
  /** What it is called where failures are told: the option, or the build's id. */
  release: string
  /** The build's id. */
  build: string
  /** Hands over the failures that wait for it; the instance does it when it is closed. */
  settleFailures(): Promise<void>
  /** For a site that nobody has measured so far. */
  startMeasuring(metrics: MetricsRecorder): void
}

/**
 * Adds a site's routes to an instance that is its own: `hydrant` in an app, or the whole of `createServer`. Failures go to
 * the store, which has to outlive the instance.
 */
export async function mountSite(
  outer: FastifyInstance,
  folder: string,
  options: Options,
  { store, metrics = NO_METRICS, worker = null }: SiteParts,
): Promise<ServedSite> {
  const base = joinBases(outer.prefix, options.base)
  const build = await loadBuild(folder, readManifest(folder), base)
  const settleFailures = addFailureListener(outer, options, store)
  const release = options.release || build.manifest.buildId
  const mapper = createSourceMapper(build.siteDir, build.bundles)
  const origin = ownOrigin(worker)
  const { buildId } = build.manifest
  const keep: FailureStore['add'] = (failure) => store.add(Object.assign(failure, origin))
  const maxHooksMs = options.timeouts.renderMs
  const files = filesOf(build)
  const deadlinePassed: MetricsRecorder['deadlinePassed'] = (...of) => site.metrics.deadlinePassed(...of)
  const failures = createFailures({
    ...{ mapper, files, release, build: buildId, digestKey: options.digestKey },
    ...{ metrics: { deadlinePassed }, keep, maxHooksMs, traceOf: options.traceOf },
  })
  const render = await loadRenderer(options.reactServer)
  await checkReact(render, build.manifest.mode)
  await warmUpFailures(render)
  const handled: Site['handled'] = new WeakMap()
  const slots = new RenderSlots(options.limits.maxRenders, outer)
  const site: Site = {
    build,
    options: { ...options, base },
    app: outer,
    failures,
    mapper,
    render,
    handled,
    slots,
    uploads: createUploadSpace(options.forms.maxUploadBytes),
    policies: createPolicyWatch(outer.log, build.entry.url),
    metrics,
  }
  const health = addHealthRoutes(outer, base)
  const pages = build.routes.map((entry) => createPageRoute(entry, build))
  const urls = pages.map(({ url }) => withBase(base, url))
  warnOfHiddenPages(outer, base, pages)
  registerFailures(outer, failures, new Map(pages.map(({ id }, index) => [urls[index], id])))
  addNavigationStrategy(outer)
  if (options.reports.enabled) {
    // Read at the first report.
    const loadTaker = async () =>
      (await import('../reports/record-report.ts')).createTakeReport({ site, store, release })
    await outer.register(async (scope) => addReportRoute(scope, options, site, loadTaker))
  }
  // An instance inside the other, as each has one error handler: when the inner one's answer fails too, the outer one is
  // asked, before those of the app and of Fastify, which know nothing of what may be sent.
  async function addSite(app: FastifyInstance) {
    site.app = app
    for (const instance of [outer, app]) {
      instance.setErrorHandler<FastifyError>((error, request, reply) => serveError(error, null, site, request, reply))
    }
    addLoadShedding(app, {
      maxDelayMs: options.limits.maxEventLoopDelayMs,
      assets: withBase(base, ASSETS_PATH),
      onShed: () => site.metrics.requestShed(),
    })
    addCrossSiteGuard(app, options)
    const stopNoting = noteHandlers(app)
    await addSitePlugin(app, build.serverPlugin)
    stopNoting()
    if (options.compress) addCompression(app)
    await addFiles(app, site)
    await addSiteRoutes(app, site, pages)
  }
  // Below the base, so that the routes of `server.ts` stand where the pages stand.
  await outer.register(addSite, options.base === '/' ? {} : { prefix: options.base })
  await outer.register(async (scope) => addOtherNavigations(scope, site))
  function startMeasuring(metrics: MetricsRecorder) {
    site.metrics = metrics
  }
  return { failures, health, release, build: buildId, settleFailures, startMeasuring }
}

function filesOf({ manifest, routes }: Build): SiteFiles {
  const pages = new Map(routes.map(({ id, page }) => [id, page.file ?? undefined]))
  return { plugin: manifest.serverPlugin, pageOf: (route) => pages.get(route) }
}

function addFailureListener(outer: FastifyInstance, { onFailure }: Options, store: FailureStore): () => Promise<void> {
  if (!onFailure) return async () => {}
  const { notify, settle } = createFailureListener(onFailure, outer.log)
  const forget = store.subscribe(notify)
  async function settleFailures() {
    // What fails while the instance is closed comes behind its hooks.
    await new Promise(setImmediate)
    await settle()
    forget()
  }
  outer.addHook('onClose', settleFailures)
  return settleFailures
}

async function addSitePlugin(app: FastifyInstance, plugin: unknown) {
  if (plugin === null || plugin === undefined) return
  // The build has checked that `server.ts` has a default export; Fastify checks that it is a plugin. Wrapped, so that
  // its hooks and decorators hold for the pages, without a mark being left on the site's own function.
  const own = plugin as FastifyPluginCallback & FastifyPluginAsync
  if (typeof own !== 'function') return void (await app.register(fp(own)))
  if (own.length > 2) {
    await app.register(
      fp((instance, options, done) => {
        try {
          own(instance, options, done)
        } catch (thrown) {
          done(asError(thrown))
        }
      }),
    )
    return
  }
  await app.register(
    fp(async (instance, options) => {
      try {
        await own(instance, options)
      } catch (thrown) {
        throw asError(thrown)
      }
    }),
  )
}

const MAX_SHOWN = 80

// Fastify takes a plugin that rejects with `undefined` or `null` for one that has started, and its guards would be missing.
function asError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : createHydrantError('HYD_SERVER_THREW', [inspect(thrown, { depth: 0 }).slice(0, MAX_SHOWN)], thrown)
}

/** Where a site is mounted: the prefix of its scope, then its base. */
export function joinBases(prefix: string, base: string): string {
  if (prefix === '' || prefix === '/') return base
  return withBase(prefix.replace(/\/$/, ''), base)
}
