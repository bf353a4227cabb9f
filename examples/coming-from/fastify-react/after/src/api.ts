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
    const { COOKIE_SECRET } = process.env
    if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET, for example to the output of: openssl rand -base64 32')
    await app.register(cookie, { secret: COOKIE_SECRET })
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
