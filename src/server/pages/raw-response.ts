// The answer when an error handler has answered already and that could not be sent either: an `onSend` hook that throws
// for every answer, for one. Fastify would turn to its own handler, which sends the error's message.

import { fallbackDocument, hostScript } from '../../shared/tree/fallback.ts'
import type { PublicError } from '../../shared/wire/public-error.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { NO_STORE } from '../http/caching.ts'
import { createNonce, DIGEST_HEADER, HTML_TYPE, REQUEST_ID_HEADER } from '../http/headers.ts'
import type { Format } from '../http/negotiate.ts'
import { createProblem, PROBLEM_TYPE } from '../http/problem.ts'
import { contentSecurityPolicy, INERT_POLICY } from '../http/security-headers.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { redirectLocation, redirectStatus } from '../thrown/redirect-location.ts'
import { createRefusal } from './respond-with-error.ts'

/** Writes an answer with Node's own response, past all hooks and without any header that they have set. */
export function sendRawError(thrown: unknown, format: Format, site: Site, visit: RequestContext) {
  const { reply, request } = visit
  const { status, headers, body } = compose(thrown, format, site, visit)
  const { raw } = reply.hijack()
  if (raw.headersSent || raw.destroyed) return void raw.destroy()
  for (const name of raw.getHeaderNames()) raw.removeHeader(name)
  raw.writeHead(status, {
    ...headers,
    [REQUEST_ID_HEADER]: request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': NO_STORE,
    vary: 'Accept',
    'content-length': Buffer.byteLength(body),
  })
  raw.end(request.method === 'HEAD' ? undefined : body)
}

interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

function compose(thrown: unknown, format: Format, site: Site, visit: RequestContext): RawAnswer {
  const meaning = classifyThrown(thrown)
  // What the visitor was about to read had not begun to go out.
  visit.statusSent = null
  if (meaning.kind === 'redirect') {
    const { to, status } = meaning.redirection
    try {
      const location = redirectLocation(to, visit.request.url, site.options.base)
      return { status: redirectStatus(status, visit.request.method), headers: { location }, body: '' }
    } catch (error) {
      return composeShown(failureOf(error, visit), format, site, visit)
    }
  }
  if (meaning.kind === 'failure') return composeShown(failureOf(thrown, visit), format, site, visit)
  const { status, message } = meaning.kind === 'notFound' ? { status: 404, message: '' } : meaning
  return composeShown(createRefusal(status, message), format, site, visit)
}

function failureOf(thrown: unknown, visit: RequestContext): Extract<PublicError, { side: 'server' }> {
  const failure = visit.fail(thrown, { phase: 'route' })
  const { digest, status } = visit.firstFailure ?? failure
  return { kind: 'failure', side: 'server', digest, status }
}

function composeShown(
  shown: Exclude<PublicError, { side: 'client' }>,
  format: Format,
  { options }: Site,
  { address, request, search }: RequestContext,
): RawAnswer {
  const { status } = shown
  const policyOf = (policy: string): Record<string, string> =>
    options.csp ? { 'content-security-policy': policy } : {}
  const named = shown.kind === 'failure' ? { [DIGEST_HEADER]: shown.digest } : {}
  if (format === 'json') {
    const body = JSON.stringify(createProblem(shown, address.host, request.url))
    return { status, headers: { ...named, ...policyOf(INERT_POLICY), 'content-type': PROBLEM_TYPE }, body }
  }
  const nonce = createNonce()
  const policy = policyOf(contentSecurityPolicy(nonce))
  const body = fallbackDocument(shown, { host: address.host, search, nonce, hostScript })
  return { status, headers: { ...named, ...policy, 'content-type': HTML_TYPE }, body }
}
