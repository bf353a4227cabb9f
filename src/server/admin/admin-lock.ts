import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sendProblem } from './problem.ts'

const CHECK_PATH = '/_hydrant/stranger'
const CHECK_HEADER = 'hydrant-check'
/** Of a network for documentation (RFC 5737): nobody's. */
const STRANGER = '192.0.2.1'
const LET_IN = 204
const PATIENCE_MS = 5_000

/**
 * Answers nobody when the app's own hooks would let a stranger pass. With the first request, one without any credentials goes
 * through the app: it must not arrive.
 */
export function addLock(app: FastifyInstance) {
  // Nobody else can know it.
  const mark = randomUUID()
  let isOpen: Promise<boolean> | undefined

  async function check(): Promise<boolean> {
    const url = (app.prefix === '/' ? '' : app.prefix) + CHECK_PATH
    const asked = app.inject({ url, headers: { [CHECK_HEADER]: mark }, remoteAddress: STRANGER })
    // A hook may close the connection, or keep strangers waiting.
    const status = asked.then(({ statusCode }) => statusCode).catch(() => null)
    const letIn = (await Promise.race([status, wait(PATIENCE_MS, null, { ref: false })])) === LET_IN
    if (letIn)
      app.log.error(
        `the console at ${app.prefix} is locked: no hook of the app asks who is there. Add an onRequest hook to its scope, or register it with a token (docs/app.md)`,
      )
    return letIn
  }

  app.addHook('onRequest', async (request, reply) => {
    if (request.headers[CHECK_HEADER] === mark) return undefined
    isOpen ??= check()
    if (!(await isOpen)) return undefined
    return sendProblem(403, 'The console is locked, as nothing guards it. The log says what to do.', request, reply)
  })
  app.get(CHECK_PATH, {
    // That a stranger is refused is nothing for the app's own handler to log.
    errorHandler: ({ statusCode = 500 }, _request, reply) => reply.code(statusCode).send(),
    handler: (request, reply) => reply.code(request.headers[CHECK_HEADER] === mark ? LET_IN : 404).send(),
  })
}
