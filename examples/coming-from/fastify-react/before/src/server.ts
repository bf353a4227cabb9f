import { resolve } from 'node:path'
import formbody from '@fastify/formbody'
import FastifyVite from '@fastify/vite'
import Fastify from 'fastify'
import { api } from './api.ts'

const server = Fastify({ logger: true })

await server.register(formbody)
await server.register(api)
await server.register(FastifyVite, {
  root: resolve(import.meta.dirname, '..'),
  renderer: '@fastify/react',
})
await server.vite.ready()

server.setNotFoundHandler((_request, reply) => {
  reply.code(404).type('text/html').send('<h1>This page does not exist</h1><a href="/">All books</a>')
})

await server.listen({ port: Number(process.env.PORT ?? 3000) })
