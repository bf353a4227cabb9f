import { join } from 'node:path'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyError, FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { ASSETS_PATH, withBase } from '../../shared/paths.ts'
import { BUILD_PATHS, WELL_KNOWN } from '../build-output/manifest.ts'
import type { Site } from '../context/site.ts'
import { ownPath } from '../http/own-routes.ts'
import { ASSET_ROUTE, FILE_ROUTE } from '../http/route-config.ts'
import { sendElsewhere, sendNoAsset } from './missing-assets.ts'

/** The statuses of @fastify/static for a path that no file can have. */
const INVALID_PATH: ReadonlySet<number | undefined> = new Set([400, 403])

/** Adds routes for the hashed assets of the build and for the files of `public/`. */
export async function addFiles(app: FastifyInstance, { build, options, failures }: Site) {
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
        root: join(build.folder, BUILD_PATHS.client),
        decorateReply: false,
        preCompressed: true,
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
