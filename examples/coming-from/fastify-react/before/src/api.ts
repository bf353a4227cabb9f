import cookie from '@fastify/cookie'
import fastifyPlugin from 'fastify-plugin'
import { Library } from './library.ts'

declare module 'fastify' {
  interface FastifyInstance {
    library: Library
  }
  interface FastifyRequest {
    member: string | null
  }
}

/** The decorators, hooks and routes of the app. */
export const api = fastifyPlugin(
  async (app) => {
    await app.register(cookie, { secret: process.env.COOKIE_SECRET ?? 'only for development, not for visitors' })
    app.decorate('library', new Library())
    app.decorateRequest('member', null)
    app.addHook('onRequest', async (request) => {
      const signed = request.cookies.member
      request.member = signed ? request.unsignCookie(signed).value : null
    })
    app.get('/api/books', async () => app.library.list())
  },
  { name: 'api' },
)
