import type { FastifyInstance } from 'fastify'
import { addGates } from './gates.ts'

export default async function server(app: FastifyInstance) {
  addGates(app)
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
  app.addHook('onRequest', async (request, reply) => {
    if (request.url !== '/guarded' || request.method !== 'POST') return
    app.count('guarded')
    return reply.redirect('/about')
  })
  app.post('/posted', async ({ body }, reply) => {
    app.count('posted')
    return reply.type('text/html').send(`<!DOCTYPE html><h1>Posted</h1>${body}`)
  })
  app.get('/api', async (_request, reply) => {
    app.count('api')
    return reply.type('text/html').send('<!DOCTYPE html><title>Api</title><h1>Api</h1>')
  })
  app.get('/export', async (_request, reply) =>
    reply.header('content-disposition', 'attachment; filename="export.csv"').send('a,b'),
  )
}
