import type { FastifyPluginAsync } from 'fastify'
import type { SiteOptions } from './config.ts'
import { addEntrance } from './entrance.ts'
import { addHostGuard } from './host-guard.ts'
import { createKeeper } from './ledger/keeper.ts'
import { resolveOptions } from './options.ts'
import { buildFolder, readConfig, readManifest } from './read-build.ts'
import { serveSite } from './serve-site.ts'

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
 * Throws HYD_BUILD_MISSING, HYD_BUILD_INCOMPLETE, HYD_BUILD_VERSION, HYD_BUILD_BROKEN, HYD_REACT_DEVELOPMENT,
 * HYD_REACT_MIXED, HYD_OPTION_UNKNOWN or HYD_OPTION_INVALID.
 */
export const hydrant: FastifyPluginAsync<PluginOptions> = async (app, given) => {
  const { dir, buildDir, prefix: _, ...options } = given as PluginOptions & { prefix?: string }
  const folder = buildFolder(dir, buildDir)
  readManifest(folder)
  const config = await readConfig(folder)
  const resolved = resolveOptions({ env: process.env, config, given: options, scope: 'site' })
  addEntrance(app, resolved)
  addHostGuard(app, resolved.hosts)
  const keeper = createKeeper(dir, resolved, app.log)
  app.addHook('onClose', keeper.close)
  await serveSite(app, folder, resolved, { keeper })
}
