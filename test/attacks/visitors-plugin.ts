import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LoadContext } from '../../src/server/index.ts'

/** A request whose visitor names itself. */
export type VisitorRequest = FastifyRequest & { user: string | null }

/** The context of a page's functions, for such a request. */
export interface VisitorContext {
  request: VisitorRequest
  reply: FastifyReply & { request: VisitorRequest }
  log: LoadContext['log']
  url: URL
  params: Record<string, string>
  context: Record<string, unknown>
}

/** The store of the current visitor. */
export const visitors = new AsyncLocalStorage<string | null>()

/** The `server.ts` of a site whose visitors name themselves in the header `x-user`. */
export async function visitorsPlugin(app: FastifyInstance) {
  app.decorateRequest('user', null)
  app.addHook('onRequest', (request, _reply, done) => {
    const user = request.headers['x-user']?.toString() ?? null
    Object.assign(request, { user })
    visitors.run(user, done)
  })
}
