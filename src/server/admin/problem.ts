import type { FastifyReply, FastifyRequest } from 'fastify'
import { createProblem, PROBLEM_TYPE } from '../http/problem.ts'

/** Answers with an error for programs, and ends the request. `more` are members of its own. */
export function sendProblem(
  status: number,
  detail: string,
  request: FastifyRequest,
  reply: FastifyReply,
  more: Record<string, unknown> = {},
) {
  const path = request.url.replace(/[?#].*$/s, '')
  const problem = createProblem({ kind: 'refusal', status, message: detail }, '', path)
  return reply
    .code(status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify({ ...problem, ...more }))
}
