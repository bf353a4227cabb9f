import type { FastifyReply } from 'fastify'
import { fallbackDocument } from '../../shared/tree/fallback.ts'
import type { Refusal } from '../../shared/wire/public-error.ts'
import { limitCaching, NO_STORE } from './caching.ts'
import { addVary, HTML_TYPE } from './headers.ts'
import { preferredFormat } from './negotiate.ts'
import { sendProblem } from './problem.ts'
import { publicAddress } from './public-address.ts'
import { INERT_POLICY, SCRIPTLESS_POLICY, setNosniff, setPolicy } from './security-headers.ts'

/** The status of a response that a client may ask for again. */
export const BUSY = 503
const RETRY_AFTER_S = 1

/** Sends a refusal outside of any site, as a document or a problem. The document shows `host` (the public host). */
export function sendRefusal(
  status: number,
  message: string,
  reply: FastifyReply,
  host = publicAddress(reply.request).host,
) {
  const shown: Refusal = { kind: 'refusal', status, message }
  addVary(reply, 'Accept')
  setNosniff(reply)
  limitCaching(reply, 'no-store')
  reply.header('cache-control', NO_STORE)
  if (preferredFormat(reply.request.headers) === 'html') {
    setPolicy(reply, SCRIPTLESS_POLICY)
    return reply
      .code(status)
      .type(HTML_TYPE)
      .send(fallbackDocument(shown, { host, search: '' }))
  }
  setPolicy(reply, INERT_POLICY)
  return sendProblem(status, message, reply)
}

/** Refuses a request because the process has too much to do. */
export function sendBusy(reply: FastifyReply) {
  reply.header('retry-after', RETRY_AFTER_S)
  sendRefusal(BUSY, 'The server is busy. Try again in a moment.', reply)
}
