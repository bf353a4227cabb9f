import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { encodeBase32 } from '../shared/digest-format.ts'
import { fallbackDocument } from '../shared/fallback.ts'
import type { Shown } from '../shared/shown.ts'
import { readConfig, readManifest } from './build.ts'
import type { ServerOptions } from './config.ts'
import { HTML_TYPE, NO_STORE, REQUEST_ID_HEADER } from './headers.ts'
import { publicAddress } from './host.ts'
import { BUILD_FOLDER } from './manifest.ts'
import { preferredFormat } from './negotiate.ts'
import { type Options, resolveOptions } from './options.ts'
import { serveSite } from './plugin.ts'
import { createProblem, PROBLEM_TYPE } from './problem.ts'

export interface CreateServerOptions extends ServerOptions {
  /** The site's folder, absolute or relative to the working directory. */
  dir: string
  /** The build's folder (`<dir>/.hydrant`). */
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
  const folder = buildDir ?? join(resolve(dir), BUILD_FOLDER)
  readManifest(folder)
  const config = await readConfig(folder)
  const resolved = resolveOptions({ env: process.env, config: { ...config, ...options } })
  const logging = loggerInstance ? { loggerInstance } : { logger: logger ?? { level: resolved.logLevel } }
  return createInstance(folder, resolved, logging)
}

/** The same from options that are resolved already. */
export async function createInstance(
  folder: string,
  options: Options,
  logging: Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>,
): Promise<FastifyInstance> {
  const app = Fastify({
    ...logging,
    trustProxy: options.trustProxy,
    logController: new RequestLog({ disableRequestLogging: !options.logRequests }),
    genReqId: createRequestIds(),
    forceCloseConnections: 'idle',
    frameworkErrors: answerBadAddress,
  })
  await app.register(async (scope) => serveSite(scope, folder, options))
  await app.ready()
  return app
}

/** One line for a request, when it is answered. */
class RequestLog extends LogController {
  override incomingRequest() {}
}

// Before any route is known: an address that cannot be decoded, for one.
function answerBadAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const status = error.statusCode ?? 400
  const shown: Shown = { kind: 'refusal', status, message: 'The address is not well formed.' }
  reply.code(status).header(REQUEST_ID_HEADER, request.id).header('cache-control', NO_STORE)
  if (preferredFormat(request.headers) === 'html') {
    reply.type(HTML_TYPE).send(fallbackDocument(shown, { host: publicAddress(request).host, search: '' }))
  } else reply.type(PROBLEM_TYPE).send(JSON.stringify(createProblem(shown, publicAddress(request).host, request.url)))
}

// Different on every replica and after each start, without a random number for each request.
function createRequestIds(): () => string {
  const prefix = encodeBase32(randomBytes(5), 8)
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
