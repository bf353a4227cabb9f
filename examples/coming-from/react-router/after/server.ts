import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { listBooks } from './lib/library.server.ts'

export default async function server(app: FastifyInstance) {
  const { COOKIE_SECRET } = process.env
  if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET, for example to the output of: openssl rand -base64 32')
  await app.register(cookie, { secret: COOKIE_SECRET })
  app.get('/api/books', async () => listBooks())
}
