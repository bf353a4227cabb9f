import { join } from 'node:path'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'
import { renderPage } from 'vike/server'
import './dist/server/entry.mjs'

const { COOKIE_SECRET } = process.env
if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET, for example to the output of: openssl rand -base64 32')

const app = Fastify({ logger: true })
await app.register(formbody)
await app.register(cookie, { secret: COOKIE_SECRET })
await app.register(fastifyStatic, { root: join(import.meta.dirname, 'dist/client/assets'), prefix: '/assets/' })

app.route({
  method: ['GET', 'POST'],
  url: '*',
  async handler(request, reply) {
    const signed = request.cookies.member
    const { httpResponse } = await renderPage({
      urlOriginal: request.raw.url,
      headersOriginal: request.raw.headers,
      member: signed ? request.unsignCookie(signed).value : null,
      form: request.method === 'POST' ? request.body : null,
      reply,
    })
    reply.status(httpResponse.statusCode)
    for (const [name, value] of httpResponse.headers) reply.header(name, value)
    return reply.send(httpResponse.body)
  },
})

await app.listen({ port: Number(process.env.PORT ?? 3000) })
