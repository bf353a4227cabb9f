import type { FastifyInstance } from 'fastify'
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
}
