import type { FastifyInstance } from 'fastify'
import { publicAddress, UNKNOWN_HOST } from '../http/public-address.ts'
import { sendRefusal } from '../http/refusal.ts'
import { isHealthRoute } from '../http/route-config.ts'
import { createRedactor } from '../redaction/redact.ts'

const MISDIRECTED = 421
const MAX_LOGGED_HOST = 255

/** Is it one of them? `*.shop.example` stands for every name below `shop.example`, and not for that itself. */
function isServedHost(host: string, hosts: readonly string[]): boolean {
  return hosts.some((one) => (one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one))
}

/**
 * Answers 421 to requests for other hosts, before anything else is done with them. Nothing of such a name is in the answer.
 * Those who ask for the process's health do so by its address.
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
    sendRefusal(MISDIRECTED, 'This host is not served here.', request, reply, UNKNOWN_HOST)
  })
}
