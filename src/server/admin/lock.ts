import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest, LightMyRequestResponse } from 'fastify'
import { sendProblem } from '../http/problem.ts'
import { pathOf } from '../http/request-url.ts'

const CHECK_PATH = '/_hydrant/stranger'
const CHECK_HEADER = 'hydrant-check'
/** Of a network for documentation (RFC 5737): nobody's. */
const STRANGER = '192.0.2.1'
const LET_IN = 204
/** Said to anybody: to who asks too often, and while the app is too busy. */
const FOR_EVERYBODY = [429, 503]
const PATIENCE_MS = 5_000
/** What a stranger has in common with whoever asked first: the app's own address, and what makes it a browser. */
const SHARED_HEADERS = [
  ...['host', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'],
  ...['accept', 'accept-language', 'user-agent'],
]

/** `unknown`: it was refused for something that has nothing to do with who is there. */
type Verdict = 'guarded' | 'open' | 'unknown'

/**
 * Answers nobody when the app's own hooks would let a stranger pass. With the first request, the same one without any
 * credentials goes through the app: it must not arrive.
 */
export function addLock(app: FastifyInstance) {
  // Nobody else can know it.
  const mark = randomUUID()
  let known: Promise<Verdict> | undefined

  async function check(first: FastifyRequest): Promise<Verdict> {
    const url = (app.prefix === '/' ? '' : app.prefix) + CHECK_PATH
    const asked = app.inject({ url, ...strangerLike(first, mark) })
    // A hook that closes the connection of strangers guards. One that does not answer in time may be waiting for a database.
    const verdict = asked.then(verdictOf, (): Verdict => 'guarded')
    return Promise.race([verdict, wait(PATIENCE_MS, 'unknown' as const, { ref: false })])
  }

  async function decide(first: FastifyRequest): Promise<Verdict> {
    const verdict = await check(first)
    if (verdict === 'open')
      app.log.error(
        `the console at ${app.prefix} is locked: no hook of the app rejects unknown clients. Add an onRequest hook to its scope, or register it with a token (docs/app.md)`,
      )
    if (verdict === 'unknown') known = undefined
    return verdict
  }

  app.addHook('onRequest', async (request, reply) => {
    if (request.headers[CHECK_HEADER] === mark) return undefined
    known ??= decide(request)
    switch (await known) {
      case 'guarded':
        return undefined
      case 'open':
        return sendProblem(
          403,
          'The console is locked, because the app does not protect it. The log says what to do.',
          request,
          reply,
        )
      case 'unknown':
        reply.header('retry-after', 1)
        return sendProblem(
          503,
          'The app is too busy to check whether the console is protected. Try again in a moment.',
          request,
          reply,
        )
    }
  })
  app.get(CHECK_PATH, {
    // That a stranger is refused is nothing for the app's own handler to log.
    errorHandler: ({ statusCode = 500 }, _request, reply) => reply.code(statusCode).send(),
    handler: (request, reply) => reply.code(request.headers[CHECK_HEADER] === mark ? LET_IN : 404).send(),
  })
}

/** Behind a proxy that the app trusts a stranger comes from there as well. */
function strangerLike({ headers: own, ip, socket }: FastifyRequest, mark: string) {
  const headers: Record<string, string> = { [CHECK_HEADER]: mark }
  for (const name of SHARED_HEADERS) if (own[name] !== undefined) headers[name] = String(own[name])
  const { remoteAddress = STRANGER } = socket
  if (ip === remoteAddress) return { headers, remoteAddress: STRANGER }
  return { headers: { ...headers, 'x-forwarded-for': STRANGER }, remoteAddress }
}

function verdictOf({ statusCode, headers }: Pick<LightMyRequestResponse, 'statusCode' | 'headers'>): Verdict {
  if (FOR_EVERYBODY.includes(statusCode)) return 'unknown'
  // To https, or to another host: whoever goes there may be let in.
  const leadsOn = pathOf(String(headers.location ?? '')).includes(CHECK_PATH)
  return statusCode === LET_IN || leadsOn ? 'open' : 'guarded'
}
