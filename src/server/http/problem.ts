import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'
import { serverSentence } from '../../shared/wire/error-messages.ts'
import type { PublicError } from '../../shared/wire/public-error.ts'
import { pathOf } from './request-url.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** An error response for programs (https://www.rfc-editor.org/rfc/rfc9457). */
export interface Problem {
  type: string
  /** The name of the status. */
  title: string
  status: number
  /** The path of the request; left out if there is no request. */
  instance?: string
  /** The sentence of a failure, or the message of a refusal. */
  detail: string
  /** Only for a failure. */
  digest?: string
}

/** Creates the problem of an error. A failure in the browser has the status 500. */
export function createErrorProblem(shown: PublicError, host: string, url: string): Problem {
  if (shown.kind === 'refusal') return createRefusalProblem(shown.status, shown.message, url)
  const isServer = shown.side === 'server'
  const problem = createRefusalProblem(isServer ? shown.status : 500, serverSentence(host), url)
  return isServer ? { ...problem, digest: shown.digest } : problem
}

/** Creates the problem of a refusal. Without a URL it has no `instance`. */
export function createRefusalProblem(status: number, detail: string, url?: string): Problem {
  const problem = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status }
  return url === undefined ? { ...problem, detail } : { ...problem, instance: pathOf(url), detail }
}

/** Sends a refusal as a problem. `more` is added to its members. */
export function sendProblem(status: number, detail: string, reply: FastifyReply, more: Record<string, unknown> = {}) {
  const problem = { ...createRefusalProblem(status, detail, reply.request.url), ...more }
  return reply.code(status).type(PROBLEM_TYPE).send(JSON.stringify(problem))
}
