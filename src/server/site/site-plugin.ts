import { inspect } from 'node:util'
import type { FastifyInstance, FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import fp from 'fastify-plugin'
import { createHydrantError } from '../errors/hydrant-error.ts'

/**
 * Registers the site's `server.ts` in the scope of the pages, so that its hooks and decorators hold for them.
 *
 * @param name The name of the plugin in errors of Fastify: the path of the file.
 */
export async function addSitePlugin(app: FastifyInstance, serverPlugin: unknown, name: string) {
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
