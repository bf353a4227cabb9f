import type { FastifyInstance } from 'fastify'
import { RESERVED_PATH, withBase } from '../../shared/paths.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import { HIDDEN, ownPath } from '../http/own-routes.ts'
import { HEALTH_ROUTE } from '../http/route-config.ts'

/** The health of a server, as load balancers and supervisors see it. */
export interface Health {
  /**
   * Notes that the server stops. From now on `ready` responds with 503, unless others serve at the same address. Only
   * the first call counts.
   */
  stop(how: { othersServe: boolean }): void
}

/** Adds `live`, which says that the process responds, and `ready`, which says whether it wants requests. */
export function addHealthRoutes(app: FastifyInstance, base: string): Health {
  let isStopping = false
  let isReady = true

  function stop({ othersServe }: { othersServe: boolean }) {
    if (isStopping) return
    isStopping = true
    isReady = othersServe
  }

  function add(name: string, check: () => [status: number, text: string]) {
    const url = ownPath(app, withBase(base, `${RESERVED_PATH}/${name}`))
    app.get(url, { config: HEALTH_ROUTE, schema: HIDDEN }, (_request, reply) => {
      const [status, text] = check()
      limitCaching(reply, 'no-store')
      return reply.code(status).header('cache-control', NO_STORE).type('text/plain; charset=utf-8').send(`${text}\n`)
    })
  }

  app.addHook('preClose', (done) => {
    stop({ othersServe: false })
    done()
  })
  add('live', () => [200, 'live'])
  add('ready', () => (isReady ? [200, 'ready'] : [503, 'stopping']))
  return { stop }
}
