import type { FastifyInstance } from 'fastify'
import { values } from './parts/values.ts'

interface Route {
  Params: { kind: string }
}

export default async function server(app: FastifyInstance) {
  // place: /hook
  app.get<Route>('/route/:kind', async ({ params }) => {
    // place: /route
    throw values[params.kind]?.()
  })
  app.get<Route>('/sync/:kind', ({ params }) => {
    // place: /sync
    throw values[params.kind]?.()
  })
  app.get('/hook/:kind', async () => 'never')
  app.addHook('onRequest', async ({ url }) => {
    const [, kind] = /^\/hook\/(.*)$/.exec(url) ?? []
    if (kind) throw values[kind]?.()
  })
  app.get<Route>('/timer/:kind', async ({ params }) => {
    setTimeout(() => {
      // place: /timer
      throw values[params.kind]?.()
    }, 5)
    return 'soon'
  })
}
