import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, LightMyRequestResponse } from 'fastify'
import { sendProblem } from '../http/problem.ts'
import { pathAndQuery, pathOf } from '../http/request-url.ts'
import { isSecretName } from '../redaction/secrets.ts'

const CHECK_PATH = '/_hydrant/stranger'
const CHECK_HEADER = 'hydrant-check'
/** These say nothing about who the client is: too early, too many requests. So do all statuses from 500 on. */
const UNRELATED = [408, 425, 429]
const MAX_WAIT_MS = 5_000
/** The hooks of an app may depend on what changes while it runs, such as a mode for maintenance. */
const MAX_AGE_MS = 60_000

/** Names that say who the client is. Single sign-on proxies set many of them. */
const IDENTITY =
  /user|e-?mail|login|account|member|operator|admin|staff|identity|principal|subject|group|role|cert|oidc|saml|assertion|dpop|client(?!-ip$)/i
/** A browser sets these, and no script can. */
const SET_BY_BROWSER = /^(?:sec-|user-agent$)/
/** Headers of the body, which the copy of a request does not have, and of the connection. */
const FRAMING = /^(?:content-|transfer-encoding$|expect$|trailer$|te$|connection$|upgrade$|keep-alive$|if-)/
const FORWARDING = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/
/** The first bytes of networks in several parts of the world. */
const NETWORKS = [12, 62, 105, 126, 187]

/** `unknown`: the check failed for a reason that says nothing about the app's hooks. */
type Verdict = 'guarded' | 'open' | 'unknown'
type Outcome = 'accepted' | 'refused' | 'unclear'
/** The response of the app's hooks to a copy of a request with its credentials. */
type Refusal = LightMyRequestResponse

interface Answer {
  outcome: Outcome
  /** Null if there was none. */
  response: Refusal | null
}

interface Target {
  method: string
  url: string
}

/** What a request says about its client. */
interface Sender {
  headers: Record<string, string>
  remoteAddress: string
}

/**
 * Refuses all requests if the app's own hooks accept an anonymous client. For each route, a copy of a request without
 * its credentials is injected into the app. The hooks must not let it reach its handler.
 */
export function addLock(app: FastifyInstance) {
  const { probeOf, note, judge, sendCopy } = createProber(app)
  const verdicts = new Map<string, { found: Promise<Verdict | Refusal>; until: number }>()
  const logged = new Set<Verdict>()

  async function decide(request: FastifyRequest): Promise<Verdict | Refusal> {
    const prefix = app.prefix === '/' ? '' : app.prefix
    const own = { method: request.method, url: pathOf(request.originalUrl) }
    for (const target of [{ method: 'GET', url: prefix + CHECK_PATH }, ...(request.is404 ? [] : [own])]) {
      const verdict = await judge(target, request)
      if (verdict !== 'guarded') return logOnce(verdict, target)
    }
    if (request.is404) return 'guarded'
    const { outcome, response } = await sendCopy(request)
    if (outcome === 'accepted') return 'guarded'
    if (outcome !== 'refused' || response === null) return logOnce('unknown', own)
    // A `preHandler` hook has not seen the request yet. It refuses one without credentials in the same way.
    if (Object.keys(request.headers).some(isCredential)) logOnce('unknown', own)
    return response
  }

  function logOnce(verdict: Verdict, target: Target): Verdict {
    if (!logged.has(verdict)) log(verdict, target)
    logged.add(verdict)
    return verdict
  }

  function log(verdict: Verdict, { method, url }: Target) {
    if (verdict === 'open')
      app.log.error(
        `the console at ${app.prefix} is locked: no hook of the app rejects unknown clients. ${method} ${url} was not refused. Add an onRequest hook to its scope, or register it with a token (docs/app.md)`,
      )
    if (verdict === 'unknown')
      app.log.warn(
        `the console at ${app.prefix} is locked until it is known whether the app protects it: a hook failed, was too busy, or refused a copy of a request that it had accepted (docs/app.md)`,
      )
  }

  async function verdictFor(request: FastifyRequest): Promise<Verdict | Refusal> {
    const key = `${request.method} ${request.routeOptions.url ?? ''}`
    const known = verdicts.get(key)
    if (known && known.until > performance.now()) {
      const verdict = await known.found
      // The refusal of another request may differ from that of this one.
      return typeof verdict === 'string' ? verdict : decide(request)
    }
    const found = decide(request)
    verdicts.set(key, { found, until: performance.now() + MAX_AGE_MS })
    const verdict = await found
    if (verdict === 'unknown' || typeof verdict !== 'string') verdicts.delete(key)
    return verdict
  }

  app.addHook('onRequest', async (request, reply) => {
    if (probeOf(request) !== null) return undefined
    const verdict = await verdictFor(request)
    if (verdict === 'guarded') return undefined
    return typeof verdict === 'string' ? refuse(verdict, reply) : sendRefusal(verdict, reply)
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const id = probeOf(request)
      if (id === null) return handler.call(this, request, reply)
      note(id)
      return reply.code(204).send()
    }
  })
  app.get(CHECK_PATH, {
    // Keeps the app's error handler from logging that the anonymous request was refused.
    errorHandler: ({ statusCode = 500 }, _request, reply) => reply.code(statusCode).send(),
    handler: (_request, reply) => reply.code(404).send(),
  })
}

/** Creates the functions that send copies of requests through the app, and find out what its hooks do with them. */
function createProber(app: FastifyInstance) {
  // A secret, so that no client can pass as the check.
  const secret = randomUUID()
  let probes = 0
  const reached = new Set<string>()

  /** Returns the id of a copy; null for a request of a client. */
  const probeOf = ({ headers }: FastifyRequest) => {
    const id = headers[CHECK_HEADER]
    return typeof id === 'string' && id.startsWith(secret) ? id : null
  }

  async function send({ method, url }: Target, { headers, remoteAddress }: Sender): Promise<Answer> {
    const id = `${secret}${probes++}`
    // Fastify has routed a request with this method.
    const request = { method: method as HTTPMethods, url, headers: { ...headers, [CHECK_HEADER]: id }, remoteAddress }
    const answer = app.inject(request).then(
      (response): Answer => ({ outcome: outcomeOf(response, url), response }),
      // A hook that closes the connection has refused the client.
      (): Answer => ({ outcome: 'refused', response: null }),
    )
    // A hook that does not respond in time may be waiting for a database.
    const late: Answer = { outcome: 'unclear', response: null }
    const { outcome, response } = await Promise.race([answer, wait(MAX_WAIT_MS, late, { ref: false })])
    return { outcome: reached.delete(id) ? 'accepted' : outcome, response }
  }

  async function judge(target: Target, request: FastifyRequest): Promise<Verdict> {
    const stranger = senderOf(request, (name) => !isCredential(name))
    const { outcome } = await send(target, stranger)
    if (outcome === 'unclear') return 'unknown'
    if (outcome === 'accepted') return (await isForListedAddresses(target, request, stranger)) ? 'guarded' : 'open'
    const { cookie } = request.headers
    const withCookies = { ...stranger, headers: { ...stranger.headers, cookie: scramble(cookie ?? '') } }
    return cookie && (await send(target, withCookies)).outcome === 'accepted' ? 'open' : 'guarded'
  }

  /**
   * Sends a copy with all credentials. If the hooks do not accept it, they may have refused the others for another reason:
   * a copy has no TLS, and a hook may limit how many requests a client sends.
   */
  const sendCopy = (request: FastifyRequest) =>
    send({ method: request.method, url: request.originalUrl }, senderOf(request))

  /** Whether the hooks accept the address of the client, and no others. */
  async function isForListedAddresses(target: Target, request: FastifyRequest, stranger: Sender): Promise<boolean> {
    if (!knowsClient(request)) return false
    for (const network of NETWORKS) {
      const address = [network, ...[1, 2, 3].map(() => randomInt(1, 255))].join('.')
      if ((await send(target, moveTo(address, stranger, request))).outcome !== 'refused') return false
    }
    return true
  }

  return {
    probeOf,
    note: (id: string) => void reached.add(id),
    judge,
    sendCopy,
  }
}

/** Headers that the connection of the client gets again. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']

/** Sends what the app's hooks have sent to a copy of the request. */
function sendRefusal({ statusCode, headers, rawPayload }: Refusal, reply: FastifyReply) {
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !OF_CONNECTION.includes(name)) reply.header(name, value)
  return reply.code(statusCode).send(rawPayload)
}

function refuse(verdict: Exclude<Verdict, 'guarded'>, reply: FastifyReply) {
  if (verdict === 'open')
    return sendProblem(
      403,
      'The console is locked, because the app does not protect it. The log says what to do.',
      reply,
    )
  reply.header('retry-after', 1)
  const detail = 'The app is too busy to check whether the console is protected. Try again in a moment.'
  return sendProblem(503, detail, reply)
}

function isCredential(name: string): boolean {
  if (SET_BY_BROWSER.test(name)) return false
  return name === 'cookie' || isSecretName(name) || IDENTITY.test(name)
}

/** Returns the address and the headers of a request, as a request without a body has them. */
function senderOf({ headers: sent, socket }: FastifyRequest, isCopied = (_name: string) => true): Sender {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(sent))
    if (value !== undefined && !FRAMING.test(name) && isCopied(name)) headers[name] = String(value)
  return { headers, remoteAddress: socket.remoteAddress ?? '127.0.0.1' }
}

/** Whether the app knows the address of the client itself, and not only that of a proxy. */
function knowsClient({ headers, ip, socket }: FastifyRequest): boolean {
  if (ip !== socket.remoteAddress) return true
  // A connection through a socket file has no address: it is that of a proxy.
  return (
    socket.remoteAddress !== undefined && !LOOPBACK.test(ip) && !FORWARDING.some((name) => headers[name] !== undefined)
  )
}

/** Returns the sender at another address, through the same proxy if there is one. */
function moveTo(address: string, { headers, remoteAddress }: Sender, { ip, socket }: FastifyRequest): Sender {
  if (ip === socket.remoteAddress) return { headers, remoteAddress: address }
  const moved = Object.entries(headers).map(([name, value]) => [name, isIP(value) ? address : value])
  return { headers: { ...Object.fromEntries(moved), 'x-forwarded-for': address }, remoteAddress }
}

/** Returns cookies with the same names and other values. */
function scramble(cookie: string): string {
  return cookie.replace(/=[^;]*/g, ({ length }) => `=${randomBytes(length).toString('hex').slice(1, length)}`)
}

function outcomeOf({ statusCode, headers }: LightMyRequestResponse, url: string): Outcome {
  if (UNRELATED.includes(statusCode) || statusCode >= 500) return 'unclear'
  if (headers.location === undefined) return 'refused'
  // A redirect to the same path, on https or on another host: the client may be accepted there.
  const target = comparable(pathOf(pathAndQuery(String(headers.location))))
  const own = comparable(url)
  return target === own || (own !== '/' && target.endsWith(own)) ? 'accepted' : 'refused'
}

const comparable = (path: string) => `/${path}/`.toLowerCase().replace(/\/+/g, '/')
