import cookie from '@fastify/cookie'
import secureSession from '@fastify/secure-session'
import type { FastifyInstance } from 'fastify'
import type { Order } from './shop/orders.server.ts'
import { findPhoto } from './shop/photos.server.ts'

declare module '@fastify/secure-session' {
  interface SessionData {
    /** The amount of each product, by its id. */
    cart: Readonly<Record<string, number>>
    order: Order
    isStaff: boolean
  }
}

export default async function server(app: FastifyInstance) {
  const { SESSION_KEY } = process.env
  if (!SESSION_KEY) throw new Error('Set SESSION_KEY, for example to the output of: openssl rand -base64 32')
  await app.register(cookie)
  await app.register(secureSession, {
    key: SESSION_KEY,
    expiry: 30 * 24 * 60 * 60,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: 'auto', maxAge: 30 * 24 * 60 * 60 },
  })

  app.get<{ Params: { id: string } }>('/photos/:id', async ({ params }, reply) => {
    const photo = findPhoto(params.id)
    if (!photo) return reply.code(404).send({ message: 'There is no such photo.' })
    // The address of a photo never gets another content.
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(photo.type)
    return photo.bytes
  })
}
