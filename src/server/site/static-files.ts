import { join } from 'node:path'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { ASSETS_PATH, withBase } from '../../shared/paths.ts'
import { BUILD_PATHS, WELL_KNOWN } from '../build-output/manifest.ts'
import type { Site } from '../context/site.ts'
import { limitCaching } from '../http/caching.ts'
import { ownPath } from '../http/own-routes.ts'
import { ASSET_ROUTE, FILE_ROUTE } from '../http/route-config.ts'

/** Adds the files for the browser, and those of `public/`. */
export async function addFiles(app: FastifyInstance, { build, options, failures }: Site) {
  const assets = withBase(options.base, ASSETS_PATH)
  await app.register(
    async (scope) => {
      // A missing asset is answered in short and is not kept, as the next build may bring it.
      scope.setNotFoundHandler((request, reply) => {
        const { method } = request
        const url = failures.of(request).redactedUrl()
        request.log.info({ method, url, statusCode: 404 }, 'refused with 404: this build does not have the asset')
        return sendNoAsset(reply)
      })
      const asked = new WeakSet<FastifyRequest>()
      scope.addHook('preHandler', (request, _reply, done) => {
        asked.add(request)
        done()
      })
      scope.setErrorHandler((error, request, reply) => {
        // What hooks have thrown is for the site to answer.
        if (!asked.has(request)) throw error
        return sendNoAsset(reply)
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
  for (const folder of folders) {
    await addStatic(app, FILE_ROUTE, {
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

// @fastify/static has no option for the configuration of its routes. An onRoute hook would come behind that of @fastify/rate-limit.
async function addStatic(app: FastifyInstance, config: RouteOptions['config'], options: FastifyStaticOptions) {
  const route = (given: RouteOptions) => app.route({ ...given, config: { ...given.config, ...config } })
  await fastifyStatic(Object.create(app, { route: { value: route } }), options)
}

function sendNoAsset(reply: FastifyReply) {
  limitCaching(reply, 'no-store')
  const text = 'There is no such asset.\n'
  return reply.code(404).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(text)
}
