import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { encodeBase32 } from '../shared/wire/digest-format.ts'
import type { BuildFiles } from './build-output/load-build.ts'
import { buildFolder, readConfig, readManifest } from './build-output/read-build.ts'
import { createHydrantError } from './errors/hydrant-error.ts'
import { passOwnErrors } from './failures/failure-log.ts'
import { logTraceErrors } from './failures/option-errors.ts'
import { firstFailureOf } from './failures/request-failures.ts'
import { failRoute, failStream } from './failures/site-failures.ts'
import { createConnectionLimits } from './guards/connection-limits.ts'
import { addFirstHook } from './guards/first-hook.ts'
import { checkForwarding, createRewrite, createTrustProxy } from './guards/forwarding.ts'
import { addHostGuard, refuseErrors, refuseMalformedUrl, refuseUnknownPaths } from './guards/refused-requests.ts'
import { RequestLog } from './http/request-log.ts'
import { createFailureStore, type FailureStore } from './ledger/failure-store.ts'
import { checkLedger } from './ledger/open-ledger.ts'
import { type ConnectionDrain, createConnectionDrain } from './lifecycle/drain-connections.ts'
import { createJsonLogging } from './log/logger.ts'
import { NO_METRICS, observerOf } from './metrics/metrics-recorder.ts'
import type { ServerOptions } from './options/config.ts'
import type { Options } from './options/options.ts'
import { resolveOptions } from './options/resolve-options.ts'
import { mountSite, type ServedSite, type SiteParts } from './site/mount-site.ts'
import { LAZY_COMPILERS } from './util/fastify-internals.ts'
import { hasCode, messageOf } from './util/unknown-values.ts'

/** Options of `createServer`: those of the site and the server, the place of the build, and the logger. */
export interface CreateServerOptions extends ServerOptions {
  /** The site's folder, absolute or relative to the working directory. */
  dir: string
  /** The folder of the build, absolute or relative to the working directory (`<dir>/.hydrant`). */
  buildDir?: string
  /**
   * Fastify's `logger` option; false for no log but failures, which are then written to standard error (JSON on standard
   * output, at `logLevel`).
   */
  logger?: FastifyServerOptions['logger']
  /** Fastify's `loggerInstance` option: a logger that exists already. */
  loggerInstance?: FastifyBaseLogger
}

/**
 * Creates a Fastify instance that serves a built site, ready to `listen` or, in a test, to `inject`. It has the
 * decorators of `server.ts`. These options override the site's `hydrant.config.ts`, and environment variables (`HYDRANT_…`) override these options. Rejects
 * with HYD_START_TIMEOUT, and with the errors of the plugin `hydrant`, except for HYD_BASE_TAKEN: for example
 * HYD_BUILD_MISSING, HYD_BUILD_BROKEN, HYD_OPTION_UNKNOWN and HYD_OPTION_INVALID.
 */
export async function createServer(given: CreateServerOptions): Promise<FastifyInstance> {
  const { dir, buildDir, logger, loggerInstance, ...options } = given
  const folder = buildFolder(dir, buildDir)
  const manifest = readManifest(folder)
  const config = await readConfig(folder)
  const resolved = resolveOptions({ env: process.env, config, given: options, scope: 'server' })
  const logging = loggerInstance
    ? { loggerInstance }
    : logger === undefined
      ? createJsonLogging(resolved.logLevel)
      : { logger }
  const { app, scope } = await createInstance({ dir, folder, manifest, options: resolved, logging })
  // Fastify can only listen with the outer instance, which has none of the decorators.
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(scope)))
    if (!(name in app)) Object.defineProperty(app, name, property)
  return app
}

export interface InstanceInput extends BuildFiles, Omit<SiteParts, 'store'> {
  /** The site's folder. */
  dir: string
  options: Options
  logging: Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>
  /** A server that does not listen itself, and a function that closes its listening sockets (Fastify's own server). */
  handed?: { server: Server; stopListening(): Promise<void> }
  /** Returns a failure store that outlives the instance (one that is closed with the instance). */
  getStore?(log: FastifyBaseLogger): FailureStore
}

export interface Instance extends ServedSite {
  app: FastifyInstance
  store: FailureStore
  connections: ConnectionDrain
}

/** Creates a Fastify instance that serves a built site, from resolved options. */
export async function createInstance(input: InstanceInput): Promise<Instance> {
  const { dir, folder, manifest, modules, options, logging, metrics = NO_METRICS, handed, getStore, ...parts } = input
  if (!getStore) await checkLedger(dir, options)
  const app = createApp(input)
  if (!logging.loggerInstance) passOwnErrors(app.log)
  const store = getStore?.(app.log) ?? createFailureStore(dir, options, app.log)
  if (!getStore) app.addHook('onClose', store.close)
  addFirstHook(app, options)
  addHostGuard(app, options.hosts)
  const connections = createConnectionDrain(app, handed?.stopListening)
  metrics.countConnections(app.server)
  refuseErrors(app)
  let mounted: ServedSite | undefined
  const served = new Promise<ServedSite>((resolve) => {
    // Fastify names the function if the site takes too long.
    app.register(async function site(scope) {
      mounted = await mountSite(scope, { folder, manifest, ...(modules && { modules }) }, options, {
        ...parts,
        store,
        metrics,
      })
      resolve(mounted)
    })
  })
  // Not before, as `server.ts` may have a not-found handler.
  app.after(() => {
    if (!mounted) return
    // The hooks of `server.ts` run for all methods, for example those of a middleware for CORS.
    refuseUnknownPaths(mounted.scope, mounted.respondNotFound)
    refuseUnknownPaths(app, mounted.respondNotFound)
  })
  // Rejects with the error of the registration above.
  await app.ready().then(null, (error: unknown) => {
    // `onClose` hooks close what `server.ts` has opened. Their errors would hide the reason.
    app.close().then(undefined, () => {})
    throw explainTimeout(error, options.timeouts.startMs)
  })
  return { app, store, connections, ...(await served) }
}

/** Returns HYD_START_TIMEOUT for Fastify's errors about a plugin or a hook that takes too long, and others unchanged. */
function explainTimeout(error: unknown, startMs: number): unknown {
  const isTimeout = hasCode(error, 'FST_ERR_PLUGIN_TIMEOUT') || hasCode(error, 'FST_ERR_HOOK_TIMEOUT')
  if (!isTimeout) return error
  // Plugins of `server.ts` have their own deadlines. The name of Hydrant's own plugin would explain nothing.
  const isOwn = messageOf(error).includes("'site'")
  return createHydrantError('HYD_START_TIMEOUT', [startMs, isOwn ? STILL_LOADING : messageOf(error)], error)
}

const STILL_LOADING =
  'its modules were still being loaded. A top-level await of the site does not settle, or the machine is too busy'

function createApp({ manifest, options, logging, metrics = NO_METRICS, handed }: InstanceInput): FastifyInstance {
  const limits = createConnectionLimits(options)
  const trust = createTrustProxy(options.trustProxy, () => typeof app.server.address() === 'string')
  const serverOptions: Pick<FastifyServerOptions, 'serverFactory'> = handed
    ? { serverFactory: (handler) => handed.server.on('request', handler) }
    : {}
  const app: FastifyInstance = Fastify({
    ...logging,
    ...limits.fastifyOptions,
    ...serverOptions,
    // Only `server.ts` adds routes: the instance is ready when others get it, and Fastify then takes no more.
    ...(manifest.serverPlugin === null ? { schemaController: LAZY_COMPILERS } : {}),
    trustProxy: trust ?? false,
    rewriteUrl: createRewrite(options, trust),
    bodyLimit: options.bodyLimit,
    pluginTimeout: options.timeouts.startMs,
    logController: new RequestLog(
      !options.logRequests,
      observerOf(metrics),
      { failRoute, failStream },
      (request) => firstFailureOf(request)?.digest,
      logTraceErrors(options.traceOf),
    ),
    genReqId: createRequestIds(),
    forceCloseConnections: 'idle',
    // While the server stops, a request still gets its response, which is the last one of its connection.
    return503OnClosing: false,
    frameworkErrors: refuseMalformedUrl,
  })
  limits.addTo(app)
  checkForwarding(app, options, trust)
  return app
}

/**
 * Creates request ids from a random prefix and a counter. They differ between replicas and between starts, and need no
 * random number per request.
 */
function createRequestIds(): () => string {
  const prefix = encodeBase32(randomBytes(5), 8)
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
