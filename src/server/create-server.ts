import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { encodeBase32 } from '../shared/wire/digest-format.ts'
import { buildFolder, readConfig, readManifest } from './build-output/read-build.ts'
import { passOwnErrors } from './failures/failure-log.ts'
import { firstFailureOf } from './failures/request-failures.ts'
import { createConnectionLimits } from './guards/connection-limits.ts'
import { addFirstHook } from './guards/first-hook.ts'
import { addHostGuard } from './guards/host-guard.ts'
import { REQUEST_ID_HEADER } from './http/headers.ts'
import { UNKNOWN_HOST } from './http/public-address.ts'
import { sendRefusal } from './http/refusal.ts'
import { createFailureStore, type FailureStore } from './ledger/failure-store.ts'
import { type ConnectionDrain, createDraining } from './lifecycle/drain-connections.ts'
import { createJsonLogging } from './log/logger.ts'
import { RequestLog } from './log/request-log.ts'
import { observerOf } from './metrics/measure-requests.ts'
import { type MetricsRecorder, NO_METRICS } from './metrics/metrics-recorder.ts'
import type { ServerOptions } from './options/config.ts'
import type { Options } from './options/options.ts'
import { resolveOptions } from './options/resolve-options.ts'
import { checkForwarding } from './proxy/check-forwarding.ts'
import { createRewrite } from './proxy/rewrite-url.ts'
import { createTrustProxy } from './proxy/trust-proxy.ts'
import { createRedactor } from './redaction/redact.ts'
import { mountSite, type ServedSite } from './site/mount-site.ts'
import { isClientErrorStatus } from './thrown/http-error.ts'

export interface CreateServerOptions extends ServerOptions {
  /** The site's folder, absolute or relative to the working directory. */
  dir: string
  /** The folder of the build, absolute or relative to the working directory (`<dir>/.hydrant`). */
  buildDir?: string
  /** Fastify's logger option (JSON on standard output at `logLevel`), or false. */
  logger?: FastifyServerOptions['logger']
  /** A ready logger instead. */
  loggerInstance?: FastifyBaseLogger
}

/**
 * A Fastify instance that serves a built site, ready to `listen` or, in a test, to `inject`. Its options beat the site's
 * `hydrant.config.ts` and give way to the environment. Throws what the plugin throws.
 */
export async function createServer(given: CreateServerOptions): Promise<FastifyInstance> {
  const { dir, buildDir, logger, loggerInstance, ...options } = given
  const folder = buildFolder(dir, buildDir)
  readManifest(folder)
  const config = await readConfig(folder)
  const resolved = resolveOptions({ env: process.env, config, given: options, scope: 'server' })
  const logging = loggerInstance
    ? { loggerInstance }
    : logger === undefined
      ? createJsonLogging(resolved.logLevel)
      : { logger }
  const { app } = await createInstance({ dir, folder, options: resolved, logging })
  return app
}

export interface InstanceInput {
  /** The site's folder. */
  dir: string
  /** The build's folder. */
  folder: string
  options: Options
  logging: Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>
  /** Records the metrics (`NO_METRICS`). */
  metrics?: MetricsRecorder
  /** A server whose connections are handed to it, and what ends that (Fastify's own, which listens). */
  handed?: { server: Server; stopListening(): Promise<void> }
  /** Number of the worker whose process this is; null for none (null). */
  worker?: string | null
  /** Gives one that outlives the instance (one of its own, which is closed with it). */
  findStore?(log: FastifyBaseLogger): FailureStore
}

export interface Instance extends ServedSite {
  app: FastifyInstance
  store: FailureStore
  draining: ConnectionDrain
}

/** The same from options that are resolved already. */
export async function createInstance(input: InstanceInput): Promise<Instance> {
  const { dir, folder, options, logging, metrics = NO_METRICS, handed, worker = null, findStore } = input
  const limits = createConnectionLimits(options)
  const trust = createTrustProxy(options.trustProxy, () => typeof app.server.address() === 'string')
  const serverOptions: Pick<FastifyServerOptions, 'serverFactory'> = handed
    ? { serverFactory: (handler) => handed.server.on('request', handler) }
    : {}
  const app: FastifyInstance = Fastify({
    ...logging,
    ...limits.fastifyOptions,
    ...serverOptions,
    trustProxy: trust ?? false,
    rewriteUrl: createRewrite(options, trust),
    bodyLimit: options.bodyLimit,
    logController: new RequestLog(
      !options.logRequests,
      observerOf(metrics),
      (request) => firstFailureOf(request)?.digest,
    ),
    genReqId: createRequestIds(),
    forceCloseConnections: 'idle',
    // Who asks while it stops is answered as always, for the last time on that connection.
    return503OnClosing: false,
    frameworkErrors: answerBadAddress,
  })
  limits.addTo(app)
  if (!logging.loggerInstance) passOwnErrors(app.log)
  const store = findStore?.(app.log) ?? createFailureStore(dir, options, app.log)
  if (!findStore) app.addHook('onClose', store.close)
  checkForwarding(app, options, trust)
  addFirstHook(app, options)
  addHostGuard(app, options.hosts)
  const draining = createDraining(app, handed?.stopListening)
  metrics.countConnections(app.server)
  // For what the site has no route for: paths outside of its base, methods that no page has.
  app.setNotFoundHandler((request, reply) => sendRefusal(404, 'There is nothing at this address.', request, reply))
  // Fastify reads what such a request has sent all the same.
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode = 500 } = error
    if (!isClientErrorStatus(statusCode)) throw error
    sendRefusal(statusCode, 'The request cannot be read.', request, reply)
  })
  const served = new Promise<ServedSite>((resolve) => {
    app.register(async (scope) => resolve(await mountSite(scope, folder, options, { store, metrics, worker })))
  })
  // Rejects with what the site's own registration does.
  await app.ready()
  return { app, store, draining, ...(await served) }
}

// Before any route is known: an address that cannot be decoded, for one.
function answerBadAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const status = error.statusCode ?? 400
  const url = createRedactor(request.headers)(request.url)
  request.log.info({ method: request.method, url, statusCode: status }, `refused with ${status}: the URL is malformed`)
  reply.header(REQUEST_ID_HEADER, request.id)
  // No hook has looked at the host.
  sendRefusal(status, 'The address is malformed.', request, reply, UNKNOWN_HOST)
}

// Different on every replica and after each start, without a random number for each request.
function createRequestIds(): () => string {
  const prefix = encodeBase32(randomBytes(5), 8)
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
