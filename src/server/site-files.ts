import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ASSETS_PATH, withBase } from '../shared/paths.ts'
import { limitCaching } from './caching.ts'
import { BUILD_PATHS, WELL_KNOWN } from './manifest.ts'
import { ownPath } from './own-routes.ts'
import type { Site } from './site.ts'

/** Adds the files for the browser, and those of `public/`. */
export async function addFiles(app: FastifyInstance, { build, options, failures }: Site) {
  const assets = withBase(options.base, ASSETS_PATH)
  await app.register(
    async (scope) => {
      // A missing asset is answered in short and is not kept, as the next build may bring it.
      scope.setNotFoundHandler((request, reply) => {
        const { method } = request
        const url = failures.redactUrl(request)
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
  const serveFolder = async (scope: FastifyInstance, folder: string) => {
    // One name for all of them, in the log and the metrics.
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, hydrantRoute: 'public/*' }
    })
    await scope.register(fastifyStatic, {
      root: join(build.folder, BUILD_PATHS.public, folder),
      prefix: ownPath(app, withBase(options.base, folder)),
      decorateReply: false,
      // A route for each file: files come before pages with parameters, and nothing else of the folder is reachable.
      wildcard: false,
      index: false,
      dotfiles: 'ignore',
    })
  }
  for (const folder of folders) await app.register((scope) => serveFolder(scope, folder))
}

function sendNoAsset(reply: FastifyReply) {
  limitCaching(reply, 'no-store')
  const text = 'There is no such asset.\n'
  return reply.code(404).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(text)
}
