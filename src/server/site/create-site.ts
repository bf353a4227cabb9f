import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Build } from '../build-output/load-build.ts'
import { joinPages, type SitePages } from '../cache/app-page-cache.ts'
import { cacheScope } from '../cache/cache-key.ts'
import type { PageCache } from '../cache/page-cache.ts'
import { openPrerendered, type PrerenderedPages, type ResponseCollector } from '../cache/prerendered-pages.ts'
import type { OpenCacheStore } from '../cache/shared/open-shared-store.ts'
import type { RenderToPipe, ShellRenderer } from '../context/react-renderer.ts'
import { createRenderSlots } from '../context/render-slots.ts'
import type { Site } from '../context/site.ts'
import { ownOrigin } from '../errors/failure-record.ts'
import { createFailures } from '../failures/failures.ts'
import { createOptionErrors, logTraceErrors, type TakeOptionError } from '../failures/option-errors.ts'
import type { RouteFiles } from '../failures/stacks/place-frames.ts'
import { createSourceMapper } from '../failures/stacks/source-map.ts'
import { createUploadSpace } from '../forms/multipart.ts'
import { watchCalls } from '../http/calls.ts'
import { createEtagWriter } from '../http/etag.ts'
import { headersOfFormats } from '../http/formats.ts'
import type { PolicyWatch } from '../http/policy-watch.ts'
import { BUSY } from '../http/problem.ts'
import { findTimes } from '../http/request-times.ts'
import { forgetSteps } from '../http/timed-steps.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import type { LiveLimits, LivePages } from '../live/live-pages.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import { createMarkdownConverter } from '../markdown/markdown-converter.ts'
import { createRunStep } from '../metrics/instrument.ts'
import type { MetricsRecorder } from '../metrics/metrics-recorder.ts'
import type { Options } from '../options/options.ts'
import { createDeadline, DEADLINE } from '../util/deadline.ts'

export interface SiteInput extends ChangingPages {
  build: Build
  /** Path that the site is mounted at, with the prefix of its scope. */
  base: string
  options: Options
  publicEnv: string | null
  render: RenderToPipe
  store: FailureStore
  metrics: MetricsRecorder
  /** Number of the worker that this process is; null for none. */
  worker: string | null
  /** The option, or the build's id. */
  release: string
  prerendered: PrerenderedPages | null
  collector: ResponseCollector | null
  isExported: boolean
  shells: ShellRenderer | null
  policies: PolicyWatch | null
}

/** @param app The instance that the site's pages are registered on. */
export function createSite(app: FastifyInstance, input: SiteInput): Site {
  const { build, base, options, publicEnv, render, store, metrics, worker, release } = input
  const { cache, live, pages, prerendered, collector, isExported, shells, policies } = input
  const isDevelopment = build.manifest.mode === 'development'
  const mapper = createSourceMapper(build.siteDir, build.bundles)
  const deadlinePassed: MetricsRecorder['deadlinePassed'] = (...of) => site.metrics.deadlinePassed(...of)
  const traceOf = logTraceErrors(options.traceOf)
  const failures = createFailures({
    mapper,
    files: routeFilesOf(build),
    release,
    build: build.manifest.buildId,
    digestKey: options.digestKey,
    metrics: { deadlinePassed },
    keep: store.add,
    origin: ownOrigin(worker),
    maxHooksMs: options.timeouts.renderMs,
    traceOf,
    hasDetails: isDevelopment,
  })
  const markdown = createMarkdownConverter(options.timeouts.renderMs)
  app.addHook('onClose', markdown.close)
  if (options.serverTiming) timeCalls(app)
  const slots = createRenderSlots(options.limits.maxRenders, app, (reason) => site.metrics.requestShed(reason))
  const site: Site = {
    build,
    isDevelopment,
    options: { ...options, base },
    // `URL` escapes the path as the browser does.
    baseInUrls: new URL(base, 'http://localhost').pathname.replace(/\/$/, ''),
    app,
    publicEnv,
    failures,
    mapper,
    render,
    shells,
    slots,
    uploads: createUploadSpace(options.forms.maxUploadBytes),
    policies,
    etags: createEtagWriter(),
    headers: headersOfFormats(options),
    cache,
    live,
    pages,
    cacheScope: cacheScope({ buildId: build.manifest.buildId, publicEnv, hosts: options.hosts }),
    prerendered,
    collector,
    markdown,
    metrics,
    release,
    isExported,
    runStep: options.instrument && createRunStep(options.instrument, traceOf, createOptionErrors('instrument', app)),
    // A build has no visitors.
    markVisitor:
      collector || isExported ? null : createMarkVisitor(options, createOptionErrors('identifyVisitor', app)),
  }
  build.links.report = (error) => failures.failProcess(error, app.log, 'error')
  return site
}

/** Times the calls of loads, guards and actions for the header `Server-Timing`. */
function timeCalls(app: FastifyInstance) {
  const stop = watchCalls()
  app.addHook('onClose', async () => stop())
  // A load may never settle.
  app.addHook('onResponse', async (request) => {
    const times = findTimes(request)
    if (times) forgetSteps(times)
  })
}

/** Two visitors of one tab have the same mark by chance once in 2^72. */
const LENGTH = 12

/**
 * Creates the function that calls the option `identifyVisitor`; null without it.
 *
 * @param takeError Takes what the option throws.
 */
function createMarkVisitor(
  { identifyVisitor, timeouts }: Pick<Options, 'identifyVisitor' | 'timeouts'>,
  takeError: TakeOptionError,
): Site['markVisitor'] {
  if (identifyVisitor === null) return null

  async function identify(request: FastifyRequest): Promise<string> {
    const deadline = createDeadline(timeouts.loadMs)
    const id = await Promise.race([identifyVisitor?.(request), deadline.passed]).finally(deadline.clear)
    if (id === DEADLINE) throw new Error(`It took longer than ${timeouts.loadMs} ms.`)
    if (typeof (id ?? '') !== 'string') throw new TypeError(`It must return a string or nothing; got ${typeof id}.`)
    return id ? createHash('sha256').update(id).digest('base64url').slice(0, LENGTH) : ''
  }

  return (request) =>
    identify(request).catch((error) => {
      takeError(error, request)
      return ''
    })
}

function routeFilesOf({ manifest, routes }: Build): RouteFiles {
  const pages = new Map(routes.map(({ id, page }) => [id, page.file ?? undefined]))
  return { plugin: manifest.serverPlugin, pageOf: (route) => pages.get(route) }
}

/** What changes the pages of a site after they were sent. */
export interface ChangingPages {
  /** Null without cached pages, and for changing code. */
  cache: PageCache | null
  /** Null without live pages. */
  live: LivePages | null
  /** For the code of the site; null without both. */
  pages: SitePages | null
}

export const NOT_CHANGING: ChangingPages = { cache: null, live: null, pages: null }

/** Opens the page cache and the streams of live pages, with the store of both. Rejects with HYD_CACHE_STORE_PACKAGE. */
export async function openChangingPages(
  app: FastifyInstance,
  { manifest, routes }: Build,
  { pageCache, timeouts, limits }: Options,
  openStore?: OpenCacheStore,
): Promise<ChangingPages> {
  const isProduction = manifest.mode === 'production'
  const hasCache = isProduction && pageCache.maxBytes > 0 && routes.some(({ cache }) => cache !== null)
  // In development, a page may become live later.
  const hasLive = !isProduction || routes.some(({ isLive }) => isLive)
  if (!hasCache && !hasLive) return NOT_CHANGING
  const { log } = app
  // Few sites need these modules.
  const [{ PageCache }, { openSharedStore }, { createLivePages }] = await Promise.all([
    import('../cache/page-cache.ts'),
    import('../cache/shared/open-shared-store.ts'),
    import('../live/live-pages.ts'),
  ])
  // The requests need the rest of the time.
  const open = openStore ?? openSharedStore
  const store = isProduction ? await open(pageCache, { log, closeMs: timeouts.drainMs / 2 }) : null
  const cache = hasCache ? new PageCache(pageCache.maxBytes, store) : null
  const live = hasLive ? createLivePages(store, limits, createRefusalLines(app, limits)) : null
  app.addHook('preClose', async () => live?.end())
  app.addHook('onClose', async () => store?.close())
  return { cache, live, pages: joinPages(cache, live, store) }
}

/** Returns the function that counts the streams which are refused, by the limit that they exceed. */
function createRefusalLines(app: FastifyInstance, limits: LiveLimits): (limit: keyof LiveLimits) => void {
  const addLine = (limit: keyof LiveLimits, where: string) =>
    addThrottledLine(app, (count) =>
      app.log.warn(
        { statusCode: BUSY, refused: count },
        `refused with ${BUSY}: ${countOf(count, 'stream')} of live pages, because ${limits[limit]} are open ${where} (raise "limits.${limit}")`,
      ),
    )
  const lines = {
    maxLiveStreams: addLine('maxLiveStreams', 'in this process'),
    maxLiveStreamsPerAddress: addLine('maxLiveStreamsPerAddress', 'at one address'),
  }
  return (limit) => lines[limit]()
}

/** The values that the bytes of a document depend on, apart from the build. */
interface Surroundings {
  base: string
  publicEnv: string | null
}

/**
 * Returns the responses that the build contains. Returns null if it has none, or if they were rendered for another base
 * or with other public variables: the pages are then rendered at their first request.
 */
export function loadPrerendered(
  { log }: FastifyInstance,
  { folder, manifest }: Build,
  { base, publicEnv }: Surroundings,
): PrerenderedPages | null {
  const prerendered = openPrerendered(folder)
  if (prerendered === null || prerendered.index.build !== manifest.buildId) return null
  const reason = differenceOf(prerendered, { base, publicEnv })
  if (reason === null) return prerendered
  log.info(`the prerendered pages are rendered again, each at its first request: ${reason}`)
  return null
}

function differenceOf({ index }: PrerenderedPages, { base, publicEnv }: Surroundings): string | null {
  if (index.base !== base) return `the build has the base ${index.base}, and the server ${base}`
  return index.publicEnv === publicEnv ? null : 'the public environment variables differ from those of the build'
}
