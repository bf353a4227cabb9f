import { join, resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyPluginCallback,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import { ASSETS_PATH, withBase } from '../shared/paths.ts'
import { type Build, loadBuild, readConfig, readManifest } from './build.ts'
import type { SiteOptions } from './config.ts'
import { createHydrantError, showValue } from './errors.ts'
import { createFailures } from './failures.ts'
import { REQUEST_ID_HEADER } from './headers.ts'
import { BUILD_FOLDER, BUILD_PATHS } from './manifest.ts'
import { type Options, resolveOptions } from './options.ts'
import { createPageRoute, refuseMethod, servePage, serveThrown, serveUnknown } from './page-route.ts'
import { loadRenderer, type Site } from './site.ts'
import { createFrameMapper } from './source-map.ts'

/** Options of the Fastify plugin. */
export interface PluginOptions extends SiteOptions {
  /** The site's folder, absolute or relative to the working directory. */
  dir: string
  /** The build's folder (`<dir>/.hydrant`). */
  buildDir?: string
}

/**
 * Serves a built site from a Fastify app: `await app.register(hydrant, { dir: './my-site' })`. The app's other routes,
 * hooks, decorators and error handler go on as before. Options beat the environment's `HYDRANT_…` never, the site's
 * `hydrant.config.ts` always. Fastify's own `prefix` goes before `base`.
 *
 * Throws HYD_BUILD_MISSING, HYD_BUILD_INCOMPLETE, HYD_BUILD_VERSION, HYD_BUILD_BROKEN, HYD_OPTION_UNKNOWN or
 * HYD_OPTION_INVALID.
 */
export const hydrant: FastifyPluginAsync<PluginOptions> = async (app, given) => {
  const { dir, buildDir, prefix: _, ...options } = given as PluginOptions & { prefix?: string }
  if (typeof dir !== 'string')
    throw createHydrantError('HYD_OPTION_INVALID', ['dir', 'the site’s folder', showValue(dir)])
  const folder = buildDir ?? join(resolve(dir), BUILD_FOLDER)
  readManifest(folder)
  const config = await readConfig(folder)
  const resolved = resolveOptions({ env: process.env, config: { ...config, ...options } })
  await serveSite(app, folder, resolved)
}

/** Adds a site's routes to an instance that is its own: `hydrant` in an app, or the whole of `createServer`. */
export async function serveSite(app: FastifyInstance, folder: string, options: Options): Promise<void> {
  const base = joinBases(app.prefix, options.base)
  const build = await loadBuild(folder, readManifest(folder), base)
  const failures = createFailures(createFrameMapper(build.siteDir, build.bundles))
  const render = await loadRenderer(options.reactServer)
  const site: Site = { build, options: { ...options, base }, app, failures, render }
  warnOfDevelopmentReact(app, build)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    done()
  })
  app.setErrorHandler<FastifyError>((error, request, reply) => serveThrown(error, null, site, request, reply))
  await addSitePlugin(app, build.serverPlugin)
  await addFiles(app, site)
  addPages(app, site)
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
      scope.setNotFoundHandler((_, reply) => {
        reply
          .code(404)
          .header('cache-control', 'no-store')
          .type('text/plain; charset=utf-8')
          .send('There is no such asset.\n')
      })
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
  if (build.manifest.publicFiles.length === 0) return
  await app.register(fastifyStatic, {
    root: join(build.folder, BUILD_PATHS.public),
    prefix: ownPath(app, withBase(options.base, '/')),
    decorateReply: false,
    // A route for each file: files come before pages with parameters, and nothing else of the folder is reachable.
    wildcard: false,
    index: false,
    dotfiles: 'ignore',
  })
}

const READ = ['GET', 'HEAD']
const WRITE = ['POST', 'PUT', 'PATCH', 'DELETE']

function addPages(app: FastifyInstance, site: Site) {
  const { build, options } = site
  for (const route of build.routes.map((entry) => createPageRoute(entry, build))) {
    const url = withBase(options.base, route.url)
    const errorHandler: RouteOptions['errorHandler'] = (error, request, reply) =>
      serveThrown(error, route, site, request, reply)
    addRoute(app, READ, url, { errorHandler, handler: (...pair) => void servePage(route, site, ...pair) })
    addRoute(app, WRITE, url, { errorHandler, handler: (...pair) => void refuseMethod(route, site, ...pair) })
  }
  // As routes, not as Fastify's not-found handler: an app may have one of its own for the rest of its paths.
  for (const path of ['/', '/*']) {
    const handler: RouteHandlerMethod = (...pair) => void serveUnknown(site, ...pair)
    addRoute(app, [...READ, ...WRITE], withBase(options.base, path), { handler })
  }
}

function addRoute(
  app: FastifyInstance,
  methods: readonly string[],
  url: string,
  options: Pick<RouteOptions, 'handler' | 'errorHandler'>,
) {
  // The site's `server.ts` comes first: it may answer a method of a page's URL itself.
  const method = methods.filter((name) => !app.hasRoute({ method: name, url }))
  if (method.length > 0) app.route({ ...options, method, url: ownPath(app, url), prefixTrailingSlash: 'no-slash' })
}

/** A full path as the instance's own routes are written, which Fastify puts its prefix before. */
function ownPath(app: FastifyInstance, path: string): string {
  return path.slice(app.prefix.length) || '/'
}

function joinBases(prefix: string, base: string): string {
  if (prefix === '' || prefix === '/') return base
  return withBase(prefix.replace(/\/$/, ''), base)
}

function warnOfDevelopmentReact(app: FastifyInstance, { manifest }: Build) {
  if (manifest.mode === 'production' && process.env.NODE_ENV !== 'production') {
    app.log.warn('NODE_ENV is not "production": React renders with its development build, which is many times slower')
  }
}
