import { join, relative } from 'node:path'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { ASSETS_PATH, withBase } from '../../shared/paths.ts'
import { BOOT_VARIABLE } from '../../shared/wire/boot.ts'
import { BUILD_PATHS, WELL_KNOWN } from '../build-output/manifest.ts'
import type { Site } from '../context/site.ts'
import { limitCaching } from '../http/caching.ts'
import { ASSET_ROUTE, FILE_ROUTE, ownPath } from '../http/route-config.ts'

/** The statuses of @fastify/static for a path that no file can have. */
const INVALID_PATH: ReadonlySet<number | undefined> = new Set([400, 403])

/** Adds routes for the hashed assets of the build and for the files of `public/`. */
export async function addFiles(app: FastifyInstance, site: Site) {
  const { build, options, failures } = site
  const root = join(build.folder, BUILD_PATHS.client)
  const own = new Set(build.manifest.clientFiles)
  const assets = withBase(options.base, ASSETS_PATH)
  await app.register(
    async (scope) => {
      // The files are public. A page in a sandboxed frame has an origin of its own, and its scripts and fonts need this.
      scope.addHook('onRequest', (_request, reply, done) => {
        if (!reply.hasHeader('access-control-allow-origin')) reply.header('access-control-allow-origin', '*')
        done()
      })
      scope.setNotFoundHandler((request, reply) => {
        if (sendElsewhere(request, reply)) return reply
        const { method } = request
        const url = failures.of(request).redactedUrl()
        request.log.info({ method, url, statusCode: 404 }, 'refused with 404: this build does not have the asset')
        // Other names are guesses of scanners.
        if (HASHED.test(readUrl(request).pathname)) site.metrics.foreignAsset('missing')
        return sendNoAsset(request, reply)
      })
      const passedHooks = new WeakSet<FastifyRequest>()
      scope.addHook('preHandler', (request, _reply, done) => {
        passedHooks.add(request)
        done()
      })
      scope.setErrorHandler<FastifyError>((error, request, reply) => {
        // The site's error handler responds to an error of a hook, and to one of a file that exists.
        // Fastify would send a value that is thrown here and is no Error.
        if (!passedHooks.has(request) || !INVALID_PATH.has(error?.statusCode)) return Promise.reject(error)
        return sendNoAsset(request, reply)
      })
      await addStatic(scope, ASSET_ROUTE, {
        root,
        decorateReply: false,
        preCompressed: true,
        setHeaders(_reply, path) {
          if (!own.has(relative(root, path).replace(COMPRESSED, ''))) site.metrics.foreignAsset('kept')
        },
        immutable: true,
        maxAge: '365d',
        index: false,
        dotfiles: 'ignore',
      })
    },
    { prefix: ownPath(app, assets).slice(0, -1) },
  )
  const { publicFiles } = build.manifest
  const wellKnown = `/${WELL_KNOWN}/`
  const isWellKnown = (path: string) => `/${path}`.startsWith(wellKnown)
  const folders = [publicFiles.every(isWellKnown) ? [] : ['/'], publicFiles.some(isWellKnown) ? [wellKnown] : []].flat()
  // The folder may have files of a newer build.
  const urls = new Set(publicFiles.map((path) => ownPath(app, withBase(options.base, `/${path}`))))
  for (const folder of folders) {
    const served = {
      root: join(build.folder, BUILD_PATHS.public, folder),
      prefix: ownPath(app, withBase(options.base, folder)),
      decorateReply: false,
      // A route for each file: the router prefers files to pages with parameters, and other files of the folder are
      // out of reach.
      wildcard: false,
      index: false,
      dotfiles: 'ignore',
    } as const
    await addStatic(app, FILE_ROUTE, served, (url) => urls.has(url))
  }
}

// @fastify/static has no option for the `config` of its routes. An onRoute hook would run after the one of
// @fastify/rate-limit.
async function addStatic(
  app: FastifyInstance,
  config: RouteOptions['config'],
  options: FastifyStaticOptions,
  isServed = (_url: string) => true,
) {
  function route(given: RouteOptions) {
    if (isServed(given.url)) app.route({ ...given, config: { ...given.config, ...config } })
  }
  await fastifyStatic(Object.create(app, { route: { value: route } }), options)
}

// Responses for assets that this build does not have. Imports that are tried again in the browser would not help the
// entry, stylesheets and workers, and Firefox and WebKit remember imports that have failed.

/** How often a browser asks again: replicas of two builds then miss one of 8,000 assets. Browsers follow 20. */
const MAX_TRIES = 12
const TRY = 'try'

/** Matches the name of a file that a build has written: it ends with a hash. */
const HASHED = /[A-Z2-7]{8}\.\w+$/

/** The end of the name of a compressed copy. */
const COMPRESSED = /\.(?:br|gz)$/

/**
 * Redirects a browser to the same asset. During a rollout, a load balancer may have sent the request for an asset to a
 * replica with another build than that of the page; the next request may reach the right one. Browsers follow redirects
 * for everything that a page needs, and a failed import would fail again in some of them. Returns false if it is useless.
 */
function sendElsewhere(request: FastifyRequest, reply: FastifyReply): boolean {
  const { pathname, searchParams } = readUrl(request)
  const tries = Number(searchParams.get(TRY) ?? 0)
  if (!isOfPage(request) || !HASHED.test(pathname) || !(tries >= 0 && tries < MAX_TRIES)) return false
  forbidStoring(reply)
  // A load balancer that distributes connections chooses again. HTTP/2 has no such header.
  if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
  // A relative URL is right whatever a proxy has removed from the path. Caches store no 307 of their own accord.
  void reply
    .code(307)
    .header('location', `?${TRY}=${tries + 1}`)
    .send()
  return true
}

/** Says that no asset has this URL, in a short response that no cache stores: the next build may have the asset. */
function sendNoAsset(request: FastifyRequest, reply: FastifyReply) {
  forbidStoring(reply)
  const { pathname, searchParams } = readUrl(request)
  // The URL of the asset itself is never that of the script: a cache must not store the one for the other.
  const isScript = pathname.endsWith('.js') && HASHED.test(pathname) && Number(searchParams.get(TRY)) >= MAX_TRIES
  if (isScript && isOfDocument(request)) {
    // A service worker that stores all assets cannot store this one, in the place of the asset that the page has named.
    reply.header('vary', '*')
    return reply.type('text/javascript; charset=utf-8').send(RELOAD)
  }
  return reply.code(404).type('text/plain; charset=utf-8').send('There is no such asset.\n')
}

/**
 * The script in the place of one that no replica has. If it is the entry, nothing else in the page runs. Then it loads the
 * document again, which names the scripts of the current build. The entry itself does that for other scripts, and removes
 * the key: see `src/client/hydrate.ts`. It has replaced `push`.
 */
const RELOAD = `try {
  const queue = self.${BOOT_VARIABLE}
  const mayReload = !Object.hasOwn(queue, 'push') && queue[0].reload !== false
  if (mayReload && sessionStorage['${BOOT_VARIABLE}'] !== location.pathname) {
    sessionStorage['${BOOT_VARIABLE}'] = location.pathname
    location.reload()
    await new Promise(() => {})
  }
} catch {}
throw new TypeError('The server has no such script: error loading an imported module')
`

function forbidStoring(reply: FastifyReply) {
  limitCaching(reply, 'no-store')
  reply.header('cache-control', 'no-store')
}

function readUrl({ url }: FastifyRequest): URL {
  return new URL(url, 'http://localhost')
}

/** Returns whether a page in a browser needs the asset. Other clients want to know that it does not exist. */
function isOfPage({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-dest': use, referer } = headers
  return use === undefined ? referer !== undefined : use !== 'document'
}

/** Returns whether a document itself names the script: another script may import names from it. */
function isOfDocument({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-dest': use = 'script', referer } = headers
  return use === 'script' && referer !== undefined && !referer.includes(ASSETS_PATH)
}
