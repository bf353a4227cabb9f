import type { FastifyInstance } from 'fastify'
import { HttpError, redirect } from 'hydrant'
import { addDone } from './done.ts'

export default async function server(app: FastifyInstance) {
  addDone(app)
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, String(body)),
  )
  app.post('/api', async ({ body }, reply) => {
    app.done({ path: '/api', body })
    return reply.type('text/html').send('<p id="raw">from a route</p>')
  })
  app.get('/page.html', async (_request, reply) => reply.type('text/html').send('<p>a route</p>'))
  app.post('/upload.csv', async ({ body }, reply) => {
    app.done({ path: '/upload.csv', body })
    return reply.type('text/html').send('<p>a file</p>')
  })
  app.addHook('onRequest', async ({ method, url }, reply) => {
    if (method !== 'POST' || !url.startsWith('/guarded')) return
    if (url.endsWith('redirect')) return reply.redirect('/target', 303)
    if (url.endsWith('307')) return reply.redirect('/sent-on', 307)
    if (url.endsWith('outside')) redirect('//evil.example')
    if (url.endsWith('fails')) throw new Error('SECRET-MARKER')
    throw new HttpError(401, 'Log in first')
  })
}
