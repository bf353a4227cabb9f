import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest, LightMyRequestResponse } from 'fastify'
import { sendProblem } from '../http/problem.ts'
import { pathOf } from '../http/request-url.ts'

const CHECK_PATH = '/_hydrant/stranger'
const CHECK_HEADER = 'hydrant-check'
/** An address of a network for documentation (RFC 5737), which no client has. */
const UNKNOWN_ADDRESS = '192.0.2.1'
const ACCEPTED = 204
/** Statuses that do not depend on who the client is: too many requests, and an app that is too busy. */
const UNRELATED = [429, 503]
const MAX_WAIT_MS = 5_000
/** Headers of the first request that the anonymous request has, too: the app's own address, and those of a browser. */
const COPIED_HEADERS = [
  ...['host', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'],
  ...['accept', 'accept-language', 'user-agent'],
]

/** `unknown`: the anonymous request failed for a reason that says nothing about the app's hooks. */
type Verdict = 'guarded' | 'open' | 'unknown'

/**
 * Refuses all requests if the app's own hooks accept an anonymous client. Before the first request is handled, a copy
 * of it without any credentials is injected into the app. The hooks must not let it reach its handler.
 */
export function addLock(app: FastifyInstance) {
  // A secret, so that no client can pass as the check.
  const secret = randomUUID()
  let verdict: Promise<Verdict> | undefined

  async function check(first: FastifyRequest): Promise<Verdict> {
    const url = (app.prefix === '/' ? '' : app.prefix) + CHECK_PATH
    const response = app.inject({ url, ...anonymousCopy(first, secret) })
    // A hook that closes the connection has refused the client.
    const found = response.then(verdictOf, (): Verdict => 'guarded')
    // A hook that does not respond in time may be waiting for a database.
    return Promise.race([found, wait(MAX_WAIT_MS, 'unknown' as const, { ref: false })])
  }

  async function decide(first: FastifyRequest): Promise<Verdict> {
    const found = await check(first)
    if (found === 'open')
      app.log.error(
        `the console at ${app.prefix} is locked: no hook of the app rejects unknown clients. Add an onRequest hook to its scope, or register it with a token (docs/app.md)`,
      )
    if (found === 'unknown') verdict = undefined
    return found
  }

  app.addHook('onRequest', async (request, reply) => {
    if (request.headers[CHECK_HEADER] === secret) return undefined
    verdict ??= decide(request)
    switch (await verdict) {
      case 'guarded':
        return undefined
      case 'open':
        return sendProblem(
          403,
          'The console is locked, because the app does not protect it. The log says what to do.',
          reply,
        )
      case 'unknown':
        reply.header('retry-after', 1)
        return sendProblem(
          503,
          'The app is too busy to check whether the console is protected. Try again in a moment.',
          reply,
        )
    }
  })
  app.get(CHECK_PATH, {
    // Keeps the app's error handler from logging that the anonymous request was refused.
    errorHandler: ({ statusCode = 500 }, _request, reply) => reply.code(statusCode).send(),
    handler: (request, reply) => reply.code(request.headers[CHECK_HEADER] === secret ? ACCEPTED : 404).send(),
  })
}

/** Returns the request as an unknown client would send it: through the same proxy, if the app trusts one. */
function anonymousCopy({ headers: sent, ip, socket }: FastifyRequest, secret: string) {
  const headers: Record<string, string> = { [CHECK_HEADER]: secret }
  for (const name of COPIED_HEADERS) if (sent[name] !== undefined) headers[name] = String(sent[name])
  const { remoteAddress = UNKNOWN_ADDRESS } = socket
  if (ip === remoteAddress) return { headers, remoteAddress: UNKNOWN_ADDRESS }
  return { headers: { ...headers, 'x-forwarded-for': UNKNOWN_ADDRESS }, remoteAddress }
}

function verdictOf({ statusCode, headers }: Pick<LightMyRequestResponse, 'statusCode' | 'headers'>): Verdict {
  if (UNRELATED.includes(statusCode)) return 'unknown'
  // A redirect to the same path, on https or on another host: the client may be accepted there.
  const isRedirectedHere = pathOf(String(headers.location ?? '')).includes(CHECK_PATH)
  return statusCode === ACCEPTED || isRedirectedHere ? 'open' : 'guarded'
}
