import jwt from '@fastify/jwt'
import fastifyPlugin from 'fastify-plugin'
import { Tickets } from './tickets.ts'
import { findUser, type User } from './users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tickets: Tickets
  }
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: User
    user: User
  }
}

/** The API: clients get a token for their password, and send it in the header `Authorization`. */
export const api = fastifyPlugin(
  async (app) => {
    const { JWT_SECRET } = process.env
    if (!JWT_SECRET) throw new Error('Set JWT_SECRET, for example to the output of: openssl rand -base64 32')
    await app.register(jwt, { secret: JWT_SECRET, sign: { expiresIn: '8h' } })
    app.decorate('tickets', new Tickets())

    app.post<{ Body: { name: string; password: string } }>(
      '/api/tokens',
      { schema: { body: CREDENTIALS } },
      async ({ body }, reply) => {
        const user = findUser(body.name, body.password)
        if (!user) return reply.code(401).send({ message: 'This name or this password is wrong.' })
        return { token: app.jwt.sign(user) }
      },
    )

    await app.register(async (scope) => {
      scope.addHook('onRequest', async (request) => {
        await request.jwtVerify()
      })
      scope.get('/api/tickets', async () => app.tickets.list())
    })
  },
  { name: 'api' },
)

const CREDENTIALS = {
  type: 'object',
  required: ['name', 'password'],
  properties: { name: { type: 'string' }, password: { type: 'string' } },
}
