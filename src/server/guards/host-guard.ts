import type { FastifyInstance } from 'fastify'
import { publicAddress, UNKNOWN_HOST } from '../http/public-address.ts'
import { sendRefusal } from '../http/refusal.ts'
import { isHealthRoute } from '../http/route-config.ts'
import { createRedactor } from '../redaction/redact.ts'

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
