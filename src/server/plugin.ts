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
import { type Build, buildFolder, loadBuild, readConfig, readManifest } from './build.ts'
import type { SiteOptions } from './config.ts'
import { createFailures } from './failures.ts'
import { REQUEST_ID_HEADER } from './headers.ts'
import { BUILD_PATHS } from './manifest.ts'
import { type Options, resolveOptions } from './options.ts'
import { createPageRoute, refuseMethod, servePage, serveThrown, serveUnknown } from './page-route.ts'
import { loadRenderer, type Site } from './site.ts'
import { createSourceMapper } from './source-map.ts'

/** Options of the Fastify plugin. */
export interface PluginOptions extends SiteOptions {
  /** The site's folder, absolute or relative to the working directory. */
  dir: string
  /** The build's folder (`<dir>/.hydrant`). */
  buildDir?: string
}

/**
 * Serves a built site from a Fastify app: `await app.register(hydrant, { dir: './my-site' })`. The app's other routes,
 * hooks, decorators and error handler go on as before. The environment (`HYDRANT_…`) beats these options, which beat
 * the site's `hydrant.config.ts`. Fastify's own `prefix` goes before `base`.
 *
 * Throws HYD_BUILD_MISSING, HYD_BUILD_INCOMPLETE, HYD_BUILD_VERSION, HYD_BUILD_BROKEN, HYD_OPTION_UNKNOWN or
 * HYD_OPTION_INVALID.
 */
export const hydrant: FastifyPluginAsync<PluginOptions> = async (app, given) => {
  const { dir, buildDir, prefix: _, ...options } = given as PluginOptions & { prefix?: string }
  const folder = buildFolder(dir, buildDir)
  readManifest(folder)
  const config = await readConfig(folder)
  addRequestIds(app)
  await serveSite(app, folder, resolveOptions({ env: process.env, config, given: options, scope: 'site' }))
}

/** Names the request in each of the instance's answers. */
export function addRequestIds(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    done()
  })
}

/** Adds a site's routes to an instance that is its own: `hydrant` in an app, or the whole of `createServer`. */
export async function serveSite(app: FastifyInstance, folder: string, options: Options): Promise<void> {
  const base = joinBases(app.prefix, options.base)
  const build = await loadBuild(folder, readManifest(folder), base)
  const failures = createFailures(createSourceMapper(build.siteDir, build.bundles))
  const render = await loadRenderer(options.reactServer)
  const site: Site = { build, options: { ...options, base }, app, failures, render }
  warnOfDevelopmentReact(app, build)
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
      scope.setNotFoundHandler((_, reply) => sendNoAsset(reply))
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

function sendNoAsset(reply: FastifyReply) {
  const text = 'There is no such asset.\n'
  return reply.code(404).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(text)
}

function addPages(app: FastifyInstance, site: Site) {
  const { build, options } = site
  for (const route of build.routes.map((entry) => createPageRoute(entry, build))) {
    const url = withBase(options.base, route.url)
    const errorHandler: RouteOptions['errorHandler'] = (error, request, reply) =>
      serveThrown(error, route, site, request, reply)
    addRoute(app, READ, url, { errorHandler, handler: (...pair) => void servePage(route, site, ...pair) })
    const allowed = [...READ, ...WRITE.filter((method) => app.hasRoute({ method, url }))].join(', ')
    const refusal = beforeBody((...pair) => refuseMethod(route, allowed, site, ...pair))
    addRoute(app, WRITE, url, { errorHandler, ...refusal })
  }
  // As routes, not as Fastify's not-found handler: an app may have one of its own for the rest of its paths.
  for (const path of ['/', '/*']) {
    const answer = beforeBody((...pair) => serveUnknown(site, ...pair))
    addRoute(app, [...READ, ...WRITE], withBase(options.base, path), answer)
  }
}

// What is refused whatever its body holds is refused before Fastify reads the body, which it may not know how to.
function beforeBody(answer: (request: FastifyRequest, reply: FastifyReply) => Promise<void>) {
  return {
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      await answer(request, reply)
      return reply
    },
    handler: () => {},
  }
}

function addRoute(
  app: FastifyInstance,
  methods: readonly string[],
  url: string,
  options: Pick<RouteOptions, 'handler' | 'errorHandler' | 'onRequest'>,
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
