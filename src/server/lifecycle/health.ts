import type { FastifyInstance } from 'fastify'
import { RESERVED_PATH, withBase } from '../../shared/paths.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import { HIDDEN, ownPath } from '../http/own-routes.ts'
import { HEALTH_ROUTE } from '../http/route-config.ts'

/** Whether a server wants to be sent requests. */
export interface Health {
  /** Set once it has been told to stop: it still answers, but others should be asked. */
  isStopping: boolean
  /** Do others go on serving at the same address, so that it is as ready as before? */
  othersServe: boolean
}

/** For load balancers and supervisors: does the process answer, and is it to be sent requests? */
export function addHealthRoutes(app: FastifyInstance, base: string): Health {
  const health: Health = { isStopping: false, othersServe: false }
  app.addHook('preClose', (done) => {
    health.isStopping = true
    done()
  })
  const add = (name: string, answer: () => [status: number, text: string]) => {
    const url = ownPath(app, withBase(base, `${RESERVED_PATH}/${name}`))
    app.get(url, { config: HEALTH_ROUTE, schema: HIDDEN }, (_request, reply) => {
      const [status, text] = answer()
      limitCaching(reply, 'no-store')
      return reply.code(status).header('cache-control', NO_STORE).type('text/plain; charset=utf-8').send(`${text}\n`)
    })
  }
  add('live', () => [200, 'live'])
  add('ready', () => (health.isStopping && !health.othersServe ? [503, 'stopping'] : [200, 'ready']))
  return health
}
