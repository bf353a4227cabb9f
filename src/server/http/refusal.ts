import type { FastifyReply, FastifyRequest } from 'fastify'
import { fallbackDocument } from '../../shared/tree/fallback.ts'
import type { Refusal } from '../../shared/wire/public-error.ts'
import { limitCaching } from './caching.ts'
import { addVary, HTML_TYPE, NO_STORE } from './headers.ts'
import { preferredFormat } from './negotiate.ts'
import { createProblem, PROBLEM_TYPE } from './problem.ts'
import { publicAddress } from './public-address.ts'
import { INERT_POLICY, SCRIPTLESS_POLICY, setNosniff, setPolicy } from './security-headers.ts'

/** Refuses without a site around it. `host` is said in the answer (the request's own). */
export function sendRefusal(
  status: number,
  message: string,
  request: FastifyRequest,
  reply: FastifyReply,
  host = publicAddress(request).host,
) {
  const shown: Refusal = { kind: 'refusal', status, message }
  addVary(reply, 'Accept')
  setNosniff(reply)
  limitCaching(reply, 'no-store')
  reply.code(status).header('cache-control', NO_STORE)
  if (preferredFormat(request.headers) === 'html') {
    setPolicy(reply, SCRIPTLESS_POLICY)
    return reply.type(HTML_TYPE).send(fallbackDocument(shown, { host, search: '' }))
  }
  setPolicy(reply, INERT_POLICY)
  const path = request.url.replace(/[?#].*$/s, '')
  return reply.type(PROBLEM_TYPE).send(JSON.stringify(createProblem(shown, host, path)))
}
