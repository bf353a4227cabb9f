import Fastify, { type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify'
import hydrant from 'hydrant'
import { api } from './api.ts'
import { session } from './session.ts'

/** Creates the app: its API, the pages of the built site, and the console for operators. */
export async function createApp(options: FastifyServerOptions) {
  const app = Fastify(options)
  await app.register(api)
  await app.register(session)
  await app.register(hydrant, {
    dir: './site',
    identifyVisitor: (request) => request.currentUser()?.name,
  })
  await app.register(async (scope) => {
    scope.addHook('onRequest', requireOperator)
    await scope.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
  })
  return app
}

async function requireOperator(request: FastifyRequest, reply: FastifyReply) {
  const user = request.currentUser()
  if (!user) return reply.redirect(`/sign-in?from=${encodeURIComponent(request.url)}`)
  if (user.role !== 'operator') return reply.code(403).send({ message: 'This is for operators.' })
}
