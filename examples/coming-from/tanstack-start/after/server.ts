import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { listBooks } from './lib/library.server.ts'

export default async function server(app: FastifyInstance) {
  await app.register(cookie, { secret: process.env.COOKIE_SECRET ?? 'only for development, not for visitors' })
  app.get('/api/books', async () => listBooks())
}
