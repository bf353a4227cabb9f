import type { FastifyInstance } from 'fastify'
import * as late from './late.server.ts'
import { clear, last, letGo, OTHER, set } from './stored.server.ts'

export default async function server(app: FastifyInstance) {
  app.get('/clear', async () => {
    clear()
    return {}
  })
  app.get('/sent', async () => last())
  app.get('/go', async () => {
    letGo()
    return {}
  })
  app.get('/other', async () => {
    set(OTHER)
    return {}
  })
  app.get('/route', async (_request, reply) => reply.type('text/html').send('<p id="there">route</p>'))
  app.get('/file', async (_request, reply) =>
    reply.header('content-disposition', 'attachment; filename=a.txt').send('a file'),
  )
  app.get('/late/clear', async () => {
    late.clear()
    return {}
  })
  app.get('/late/acting', async () => ({ isActing: late.isActing() }))
  app.get('/late/act', async () => {
    late.letActionGo()
    return {}
  })
  app.get('/late/next', async () => {
    void late.next()
    late.letActionGo()
    return {}
  })
  app.get<{ Params: { gate: string } }>('/late/gates/:gate', async ({ params }) => {
    late.letGo(params.gate)
    return {}
  })
}
