import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isClientErrorStatus } from '../errors/http-error.ts'
import { REQUEST_ID_HEADER } from '../http/headers.ts'
import { hasNotFoundHandler } from '../http/navigation-strategy.ts'
import { sendRefusal } from '../http/problem.ts'
import { publicAddress, UNKNOWN_HOST } from '../http/request-url.ts'
import { handlerOf, isHealthRoute } from '../http/route-config.ts'
import { createRedactor } from '../redaction/redact.ts'

type Respond = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Handles requests that reach no route: paths outside of the base of a site, methods that no page has. */
export function addRefusals(app: FastifyInstance) {
  refuseErrors(app)
  refuseUnknownPaths(app)
}

/**
 * Sets the not-found handler, unless `server.ts` has set it.
 *
 * @param respondInSite Responds to `reply.callNotFound()` in a route of `server.ts`.
 */
export function refuseUnknownPaths(
  app: FastifyInstance,
  respondInSite: Respond = (_request, reply) => refuseUnknown(reply),
) {
  if (hasNotFoundHandler(app)) return
  app.setNotFoundHandler((request, reply) =>
    handlerOf(request) === undefined ? refuseUnknown(reply) : respondInSite(request, reply),
  )
}

/** Handles requests that cannot be read, for paths without a route. */
export function refuseErrors(app: FastifyInstance) {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode = 500 } = error
    if (!isClientErrorStatus(statusCode)) throw error
    // Fastify parses the bodies of such requests, too, and demands one with a type for QUERY.
    if (request.is404) refuseUnknown(reply)
    else sendRefusal(statusCode, 'The request cannot be read.', reply)
  })
}

function refuseUnknown(reply: FastifyReply) {
  sendRefusal(404, 'There is nothing at this address.', reply)
}

/** Refuses a URL that cannot be decoded. Fastify calls this before it looks for a route. */
export function refuseMalformedUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const status = error.statusCode ?? 400
  const url = createRedactor(request.headers)(request.url)
  request.log.info({ method: request.method, url, statusCode: status }, `refused with ${status}: the URL is malformed`)
  reply.header(REQUEST_ID_HEADER, request.id)
  // The hook that checks the host has not run.
  sendRefusal(status, 'The address is malformed.', reply, UNKNOWN_HOST)
}

const MISDIRECTED = 421
const MAX_LOGGED_HOST = 255

/**
 * Returns whether `hosts` includes the host; all names are in lower case. `*.shop.example` matches every name below
 * `shop.example`, but not `shop.example` itself.
 */
export function isServedHost(host: string, hosts: readonly string[]): boolean {
  return hosts.some((one) => (one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one))
}

/**
 * Adds a hook that responds with 421 to requests for other hosts. The response does not contain the host. Health routes
 * respond under any host, because load balancers use the address of the process.
 */
export function addHostGuard(app: FastifyInstance, hosts: readonly string[]) {
  if (hosts.length === 0) return
  const served = hosts.map((host) => host.toLowerCase())
  app.addHook('onRequest', (request, reply, done) => {
    const { host } = publicAddress(request)
    if (isServedHost(host, served) || isHealthRoute(request)) return done()
    const redact = createRedactor(request.headers)
    const url = redact(request.originalUrl)
    const asked = redact(request.host ?? '', { maxLength: MAX_LOGGED_HOST })
    request.log.info(
      { method: request.method, url, statusCode: MISDIRECTED, host: asked },
      `refused with ${MISDIRECTED}: the host is not in "hosts"`,
    )
    sendRefusal(MISDIRECTED, 'This host is not served here.', reply, UNKNOWN_HOST)
  })
}
