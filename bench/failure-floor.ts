// What any failure costs, whoever serves it: a bare Fastify route, the same with an error, of which V8 writes the stack, and
// Pino a line with it.

import Fastify from 'fastify'

const app = Fastify({ logger: true, disableRequestLogging: true })
const TEXT = 'Hello'
/** As many frames as V8 puts into a stack by default. */
const FRAMES = 10

app.get('/', (_request, reply) => reply.send(TEXT))
app.get('/fails', (request, reply) => {
  try {
    fail(FRAMES)
  } catch (error) {
    request.log.error(error)
  }
  return reply.code(500).send(TEXT)
})

await app.listen({ port: 0, host: '127.0.0.1' })

function fail(frames: number): never {
  if (frames > 1) return fail(frames - 1)
  throw new Error('The load throws.')
}
