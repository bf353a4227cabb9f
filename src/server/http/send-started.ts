// Streams that begin with a text which is the same for many responses. This text is compressed once.

import { type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { chooseEncoding, readAccepted, sendOwn, setEncoding } from './compression.ts'
import { type EncodedStream, GzipParts, type PreparedStart } from './prepared-start.ts'

interface Started {
  start: PreparedStart
  stream: EncodedStream
}

const STARTED = Symbol('started')

/** perf: a property of the reply, 0.5 µs less than an entry in a `WeakMap`, decision 053 */
interface StartedReply extends FastifyReply {
  [STARTED]?: Started
}

/** Sends a stream whose first text is that of `start`. */
export function sendStarted(stream: EncodedStream, start: PreparedStart, reply: StartedReply) {
  reply[STARTED] = { start, stream }
  sendOwn(stream, reply)
}

/**
 * Adds the hook that sends the streams of `sendStarted`, with gzip for clients that accept it. Call it after the
 * site's hooks are added, and before `addCompression`, which compresses the streams for other clients.
 */
export function addStarts(app: FastifyInstance, { compress }: { compress: boolean }) {
  app.addHook('onSend', (request, reply: StartedReply, payload, done) => {
    const started = reply[STARTED]
    // A hook may have replaced the stream.
    if (started === undefined || payload !== started.stream) return done(null, payload)
    const { start, stream } = started
    function send() {
      let isSent: boolean
      try {
        isSent = sendRaw(stream, reply)
      } catch (error) {
        // Node.js refuses a header that a hook has set.
        return done(error as Error)
      }
      if (!isSent) done(null, stream)
    }
    if (!compress || chooseEncoding(request, reply, Infinity) === null) {
      stream.encodeWith(start.bytes, start.text.length, null)
      return send()
    }
    if (!readAccepted(request.headers['accept-encoding'] ?? '').acceptsGzip) return done(null, stream)
    function sendEncoded(bytes: Buffer) {
      setEncoding('gzip', reply)
      stream.encodeWith(bytes, start.text.length, new GzipParts(start))
      send()
    }
    const bytes = start.gzip()
    if (Buffer.isBuffer(bytes)) sendEncoded(bytes)
    else bytes.then(sendEncoded, done)
  })
}

/**
 * Sends a stream without Fastify. Returns false for a response that only Fastify can send. The stream reports no
 * errors, and its owner notices when the visitor leaves.
 *
 * perf: Fastify would set each header and watch the response and the stream before the first byte, 0.93 of the CPU time
 * of a response, commit 8d8d4fde
 */
function sendRaw(stream: EncodedStream, reply: FastifyReply): boolean {
  const { raw } = reply
  if (!(raw instanceof ServerResponse) || raw.headersSent || mayHaveTrailers(reply)) return false
  // The type of Fastify's headers also includes headers of requests.
  raw.writeHead(raw.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  reply.hijack()
  // Node.js would write the first part after all that follows in this turn.
  raw.cork()
  stream.pipe(raw)
  raw.uncork()
  return true
}

let trailers: symbol | undefined

/** Returns whether a hook has added a trailer. Fastify's `hasTrailer` needs the name of the trailer. */
function mayHaveTrailers(reply: FastifyReply): boolean {
  if (trailers === undefined || !Object.hasOwn(reply, trailers))
    trailers = Object.getOwnPropertySymbols(reply).find(({ description }) => description === 'fastify.reply.trailers')
  return trailers === undefined || Reflect.get(reply, trailers) !== null
}
