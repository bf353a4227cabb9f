import { once } from 'node:events'
import http from 'node:http'
import { PassThrough, Transform } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import { DocumentStream } from '../../../src/server/render/document-stream.ts'

type Hook = Parameters<typeof addSendHook>[1]

function addSendHook(app: FastifyInstance, hook: (stream: DocumentStream) => unknown) {
  // The route below sends nothing else.
  app.addHook('onSend', async (_request, _reply, payload) => hook(payload as DocumentStream))
}

/** Sends a document of three parts, the first before the response begins. Returns the response. */
async function sendDocument(hook: Hook = (stream) => stream) {
  const app = Fastify()
  const errors: unknown[] = []
  const stream = new DocumentStream()
  addSendHook(app, hook)
  app.addHook('onError', async (_request, _reply, error) => void errors.push(error))
  app.get('/', (_request, reply) => {
    stream.send('<p>漢</p>')
    reply.send(stream)
    setImmediate(() => {
      stream.send('<p>é</p>')
      setImmediate(() => {
        stream.send('<p>end</p>')
        stream.finish()
      })
    })
  })
  const { statusCode, body } = await app.inject('/')
  if (!stream.closed) await once(stream, 'close')
  await app.close()
  return { statusCode, body, errors, stream }
}

const WHOLE = { statusCode: 200, body: '<p>漢</p><p>é</p><p>end</p>', errors: [] }

t.test('writes its text to the response, without a buffer in between', async (t) => {
  const { stream, ...response } = await sendDocument()
  t.strictSame(response, WHOLE)
  t.equal(stream.readableFlowing, null, 'nothing was read')
  t.ok(stream.readableEnded)
})

t.test('hooks can read, replace and count the text', async (t) => {
  const piped = await sendDocument((stream) => stream.pipe(new PassThrough()))
  t.match(piped, WHOLE)
  const loud = new Transform({ transform: (part, _encoding, done) => done(null, String(part).toUpperCase()) })
  const replaced = await sendDocument((stream) => stream.pipe(loud))
  t.equal(replaced.body, WHOLE.body.toUpperCase())
  let bytes = 0
  const counted = await sendDocument((stream) => {
    stream.on('data', (part: Buffer) => {
      bytes += part.length
    })
    return stream
  })
  t.match(counted, { statusCode: 200, errors: [] })
  t.equal(bytes, Buffer.byteLength(WHOLE.body))
})

t.test('a document that has ended before it is sent is complete', async (t) => {
  const app = Fastify()
  app.get('/', (_request, reply) => {
    const stream = new DocumentStream()
    stream.send('<p>')
    stream.send('</p>')
    stream.finish()
    reply.send(stream)
  })
  t.equal((await app.inject('/')).body, '<p></p>')
  await app.close()
})

t.test('text after the client has left is dropped', async (t) => {
  const app = Fastify()
  const stream = new DocumentStream()
  const errors: unknown[] = []
  const closed = new Promise<void>((resolve) => {
    app.get('/', (_request, reply) => {
      reply.raw.once('close', () => resolve()).on('error', (error) => errors.push(error))
      stream.send('begun')
      reply.send(stream)
    })
  })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  http.get(address, (response) => response.destroy())
  await closed
  stream.send('more')
  stream.finish()
  // Node.js emits the error of a late write in the next tick.
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(errors, [])
  t.ok(stream.destroyed)
  await app.close()
})
