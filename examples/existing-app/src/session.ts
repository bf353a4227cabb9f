import cookie from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import type { User } from './users.ts'

declare module 'fastify' {
  interface FastifyRequest {
    currentUser(): User | null
  }
  interface FastifyReply {
    signIn(user: User): FastifyReply
    signOut(): FastifyReply
  }
}

const NAME = 'desk-token'
const COOKIE = { path: '/', httpOnly: true, sameSite: 'lax', secure: 'auto' } as const

/** Browsers keep the token of the API in a cookie, which scripts of the page cannot read. */
export const session = fastifyPlugin(
  async (app) => {
    await app.register(cookie)

    app.decorateRequest('currentUser', function () {
      const token = this.cookies[NAME]
      if (token === undefined) return null
      try {
        return app.jwt.verify<User>(token)
      } catch {
        // The token has expired, or is not one of this app.
        return null
      }
    })

    app.decorateReply('signIn', function (this: FastifyReply, user: User) {
      return this.setCookie(NAME, app.jwt.sign(user), { ...COOKIE, maxAge: 8 * 60 * 60 })
    })

    app.decorateReply('signOut', function (this: FastifyReply) {
      return this.clearCookie(NAME, COOKIE)
    })
  },
  { name: 'session', dependencies: ['api'] },
)
