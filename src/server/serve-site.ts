import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import { ASSETS_PATH, withBase } from '../shared/paths.ts'
import { type Build, loadBuild } from './build.ts'
import { addCompression } from './compress.ts'
import { refuseEncoded } from './content-encoding.ts'
import { addCrossSiteGuard } from './cross-site-guard.ts'
import { addDataRoutes, keepNavigationsToPages, tellRedirect } from './data-route.ts'
import { createFailureListener } from './failure-listener.ts'
import { createFailures, type Failures } from './failures.ts'
import { createTooLarge, type FormLimits } from './form-limits.ts'
import { addFormParsers } from './forms.ts'
import { addHealthRoutes, type Health } from './health.ts'
import type { Keeper } from './ledger/keeper.ts'
import { addLoadShedding } from './load-shedding.ts'
import { BUILD_PATHS, WELL_KNOWN } from './manifest.ts'
import type { Measures } from './measures.ts'
import type { Options } from './options.ts'
import { createPageRoute, type PageRoute } from './page-route.ts'
import { readManifest } from './read-build.ts'
import { RenderSlots } from './render-slots.ts'
import { addReportRoute } from './report-route.ts'
import { serveAction } from './serve-action.ts'
import { servePage } from './serve-page.ts'
import { refuseMethod, serveThrown, serveUnknown } from './serve-thrown.ts'
import { loadRenderer, type Site } from './site.ts'
import { createSourceMapper } from './source-map.ts'

/** What a site is given by who serves it. */
export interface SiteParts {
  /** Where its failures go; it has to outlive the instance. */
  keeper: Keeper
  /** Null when nobody measures (null). */
  measures?: Measures | null
}

/** What a site that is served has for what happens outside of its requests. */
export interface ServedSite {
  failures: Failures
  health: Health
  /** Hands over the failures that wait for it; the instance does it when it is closed. */
  settleFailures(): Promise<void>
}

/**
 * Adds a site's routes to an instance that is its own: `hydrant` in an app, or the whole of `createServer`. Failures go to
 * the keeper, which has to outlive the instance.
 */
export async function serveSite(
  outer: FastifyInstance,
  folder: string,
  options: Options,
  { keeper, measures = null }: SiteParts,
): Promise<ServedSite> {
  const base = joinBases(outer.prefix, options.base)
  const build = await loadBuild(folder, readManifest(folder), base)
  const settleFailures = addFailureListener(outer, options, keeper)
  const release = options.release || build.manifest.buildId
  const mapper = createSourceMapper(build.siteDir, build.bundles)
  const failures = createFailures({ mapper, release, keep: keeper.keep })
  const render = await loadRenderer(options.reactServer)
  warnOfDevelopmentReact(outer, build)
  const handled: Site['handled'] = new WeakMap()
  const slots = new RenderSlots(options.limits.maxRenders, outer.log)
  outer.addHook('onClose', (_app, done) => {
    slots.stop()
    done()
  })
  const site: Site = {
    build,
    options: { ...options, base },
    app: outer,
    failures,
    render,
    handled,
    slots,
    measures,
  }
  const health = addHealthRoutes(outer, base)
  const pages = build.routes.map((entry) => createPageRoute(entry, build))
  const urls = pages.map(({ url }) => withBase(base, url))
  // Side by side: hooks that `server.ts` adds hold for the pages, and do not run a second time for their data.
  await outer.register(async (scope) => addDataRoutes(scope, urls, site))
  if (options.reports.enabled) {
    // Read at the first report.
    const loadTaker = async () => (await import('./take-report.ts')).createTakeReport({ site, keeper, release })
    await outer.register(async (scope) => addReportRoute(scope, options, site, loadTaker))
  }
  // An instance inside the other, as each has one error handler: when the inner one's answer fails too, the outer one is
  // asked, before those of the app and of Fastify, which know nothing of what may be sent.
  async function addSite(app: FastifyInstance) {
    site.app = app
    for (const instance of [outer, app]) {
      instance.setErrorHandler<FastifyError>((error, request, reply) => serveThrown(error, null, site, request, reply))
    }
    addLoadShedding(app, {
      maxDelayMs: options.limits.maxEventLoopDelayMs,
      assets: withBase(base, ASSETS_PATH),
      measures,
    })
    addCrossSiteGuard(app, options, failures)
    keepNavigationsToPages(app, site)
    await addSitePlugin(app, build.serverPlugin)
    if (options.compress) addCompression(app)
    await addFiles(app, site)
    await addActions(app, site, pages)
    addPages(app, site, pages)
  }
  // Below the base, so that the routes of `server.ts` stand where the pages stand.
  await outer.register(addSite, options.base === '/' ? {} : { prefix: options.base })
  return { failures, health, settleFailures }
}

function addFailureListener(outer: FastifyInstance, { onFailure }: Options, keeper: Keeper): () => Promise<void> {
  if (!onFailure) return async () => {}
  const { tell, settle } = createFailureListener(onFailure, outer.log)
  const forget = keeper.subscribe(tell)
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
  if (typeof own !== 'function' || own.length > 2)
    await app.register(fp((instance, options, done) => own(instance, options, done)))
  else await app.register(fp(async (instance, options) => own(instance, options)))
}

async function addFiles(app: FastifyInstance, { build, options }: Site) {
  const assets = withBase(options.base, ASSETS_PATH)
  await app.register(
    async (scope) => {
      // A missing asset is answered in short and is not kept, as the next build may bring it.
      scope.setNotFoundHandler((request, reply) => {
        const { method } = request
        const url = request.url.replace(/\?.*$/s, '')
        request.log.info({ method, url, statusCode: 404 }, 'refused: 404 an asset that this build does not have')
        return sendNoAsset(reply)
      })
      scope.setErrorHandler((_error, _request, reply) => sendNoAsset(reply))
      await scope.register(fastifyStatic, {
        root: join(build.folder, BUILD_PATHS.client),
        decorateReply: false,
        preCompressed: true,
        immutable: true,
        maxAge: '365d',
        index: false,
        dotfiles: 'ignore',
      })
    },
    { prefix: assets.slice(app.prefix === '/' ? 0 : app.prefix.length, -1) },
  )
  const { publicFiles } = build.manifest
  const wellKnown = `/${WELL_KNOWN}/`
  const isWellKnown = (path: string) => `/${path}`.startsWith(wellKnown)
  const folders = [publicFiles.every(isWellKnown) ? [] : ['/'], publicFiles.some(isWellKnown) ? [wellKnown] : []].flat()
  for (const folder of folders) {
    await app.register(fastifyStatic, {
      root: join(build.folder, BUILD_PATHS.public, folder),
      prefix: ownPath(app, withBase(options.base, folder)),
      decorateReply: false,
      // A route for each file: files come before pages with parameters, and nothing else of the folder is reachable.
      wildcard: false,
      index: false,
      dotfiles: 'ignore',
    })
  }
}

const PAGE_ROUTE = { hydrant: 'page' } as const
const READ = ['GET', 'HEAD']
const WRITE = ['POST', 'PUT', 'PATCH', 'DELETE']

function sendNoAsset(reply: FastifyReply) {
  const text = 'There is no such asset.\n'
  return reply.code(404).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(text)
}

// In a scope of their own: an app or a `server.ts` may have parsers for forms that its own routes rely on.
async function addActions(app: FastifyInstance, site: Site, pages: readonly PageRoute[]) {
  const { options } = site
  const limits = { ...options.forms, bodyLimit: options.bodyLimit }
  await app.register(async (scope) => {
    addFormParsers(scope, limits)
    for (const page of pages.filter(({ action }) => action !== null)) {
      addRoute(scope, WRITE, withBase(options.base, page.url), {
        bodyLimit: options.bodyLimit,
        preParsing: refuseEncoded,
        onSend: tellRedirect,
        errorHandler: (error, ...pair) => serveThrown(nameLimit(error, limits), page, site, ...pair),
        handler: (...pair) => void serveAction(page, site, ...pair),
      })
    }
  })
}

// Fastify's own error does not say which limit it was.
function nameLimit(error: FastifyError, limits: FormLimits): Error {
  return error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? createTooLarge('bodyLimit', limits) : error
}

function addPages(app: FastifyInstance, site: Site, pages: readonly PageRoute[]) {
  const { options } = site
  for (const route of pages) {
    const url = withBase(options.base, route.url)
    const errorHandler: RouteOptions['errorHandler'] = (error, request, reply) =>
      serveThrown(error, route, site, request, reply)
    addRoute(app, READ, url, { errorHandler, handler: (...pair) => void servePage(route, site, ...pair) })
    const allowed = [...READ, ...WRITE.filter((method) => app.hasRoute({ method, url }))].join(', ')
    const refusal = beforeBody((...pair) => refuseMethod(route, allowed, site, ...pair))
    addRoute(app, WRITE, url, { errorHandler, ...refusal })
  }
  // As routes, not as Fastify's not-found handler: an app may have one of its own for the rest of its paths.
  const answer: Answer = (...pair) => serveUnknown(site, ...pair)
  for (const path of ['/', '/*']) {
    const url = withBase(options.base, path)
    // These have no body that could not be read: all hooks come first.
    addRoute(app, READ, url, { handler: answerWith(answer) })
    addRoute(app, WRITE, url, beforeBody(answer))
  }
}

// What is refused whatever its body holds is refused before Fastify reads the body, which it may not know how to.
function beforeBody(answer: Answer) {
  return { onRequest: answerWith(answer), handler: () => {} }
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

// What it rejects with is for the error handlers.
function answerWith(answer: Answer) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await answer(request, reply)
    return reply
  }
}

function addRoute(
  app: FastifyInstance,
  methods: readonly string[],
  url: string,
  options: Pick<RouteOptions, 'handler' | 'errorHandler' | 'onRequest' | 'preParsing' | 'onSend' | 'bodyLimit'>,
) {
  // The site's `server.ts` comes first: it may answer a method of a page's URL itself.
  const method = methods.filter((name) => !app.hasRoute({ method: name, url }))
  if (method.length > 0)
    app.route({ ...options, method, url: ownPath(app, url), prefixTrailingSlash: 'no-slash', config: PAGE_ROUTE })
}

/** A full path as the instance's own routes are written, which Fastify puts its prefix before. */
function ownPath(app: FastifyInstance, path: string): string {
  return path.slice(app.prefix.length) || '/'
}

function joinBases(prefix: string, base: string): string {
  if (prefix === '' || prefix === '/') return base
  return withBase(prefix.replace(/\/$/, ''), base)
}

let hasWarned = false

// Once in a process, which has one React: the console is a site as well.
function warnOfDevelopmentReact(app: FastifyInstance, { manifest }: Build) {
  if (hasWarned || manifest.mode !== 'production' || process.env.NODE_ENV === 'production') return
  hasWarned = true
  app.log.warn('NODE_ENV is not "production": React renders with its development build, which is many times slower')
}
