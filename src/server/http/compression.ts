import { pipeline, Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { memoize } from '../util/memoize.ts'
import { limitCaching } from './caching.ts'
import { isFromOtherOrigin } from './request-url.ts'

export type Encoding = 'br' | 'gzip'

/** Of a body that is compressed as a whole, for one response: for streams and stored pages, Brotli is better. */
type WholeEncoding = Encoding | 'zstd'

type Body = string | Buffer

/** Compresses whole bodies: in this thread (`sync`), or in another one (`aside`). */
export interface BodyCompressor {
  sync: Record<WholeEncoding, (body: Body) => Buffer>
  aside: Record<WholeEncoding, (body: Body) => Promise<Buffer>>
}

const { constants } = zlib
// Node.js 22.15 and later have these functions. The types are those of Node.js 20.
const zstd = zlib as unknown as {
  zstdCompress(body: Body, done: (error: Error | null, bytes: Buffer) => void): void
  zstdCompressSync(body: Body): Buffer
}
const brotliAside = promisify<Body, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const gzipAside = promisify<Body, zlib.ZlibOptions, Buffer>(zlib.gzip)

/** Returns zlib's parameters for a text of unknown length. */
function brotliParams(quality: number) {
  return { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT }
}

/**
 * Creates the functions that compress bodies.
 *
 * @param quality The quality of Brotli, from 0 to 11.
 * @param level The level of gzip, from 0 to 9.
 */
export function createBodyCompressor(quality: number, level: number): BodyCompressor {
  const params = brotliParams(quality)
  const withLength = ({ length }: Body) => ({ params: { ...params, [constants.BROTLI_PARAM_SIZE_HINT]: length } })
  return {
    sync: {
      br: (body) => zlib.brotliCompressSync(body, withLength(body)),
      gzip: (body) => zlib.gzipSync(body, { level }),
      zstd: (body) => zstd.zstdCompressSync(body),
    },
    aside: {
      br: (body) => brotliAside(body, withLength(body)),
      gzip: (body) => gzipAside(body, { level }),
      zstd: (body) => promisify(zstd.zstdCompress)(body),
    },
  }
}

/** What a client accepts. */
export interface Accepted {
  /** Null if the response must not be compressed. */
  encoding: Encoding | null
  acceptsGzip: boolean
  /** Whether the client and this Node.js know zstd, and the client does not prefer another encoding. */
  acceptsZstd: boolean
  /** Whether the client refuses a response that is not compressed. */
  refusesIdentity: boolean
}

/** In the order of preference, for encodings that a client accepts equally. */
const OFFERED = ['br', 'gzip', 'identity']
const MAX_KNOWN = 100

/**
 * Reads an `Accept-Encoding` header (https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3).
 *
 * perf: cached, as browsers send few different headers, 0.01 µs instead of 0.9 µs, commit 8d8d4fde
 */
export const readAccepted = memoize(MAX_KNOWN, negotiate)

function negotiate(header: string): Accepted {
  // Its types belong to an older version, without `preferred`.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } }) as unknown as {
    encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
  }
  const encodings = (preferred: readonly string[]) => negotiator.encodings(preferred, { preferred })
  const acceptable = encodings(OFFERED)
  const [first] = acceptable
  const encoding = first === 'br' || first === 'gzip' ? first : null
  return {
    encoding,
    acceptsGzip: acceptable.includes('gzip'),
    acceptsZstd: 'zstdCompress' in zlib && encodings(['zstd', ...OFFERED])[0] === 'zstd',
    refusesIdentity: encoding !== null && !acceptable.includes('identity'),
  }
}

/** Shorter responses fit into one packet, compressed or not. */
const MIN_LENGTH = 1_024
/**
 * Compressing up to this length takes less than 0.5 ms.
 *
 * perf: it is done without another thread, 0.10 ms instead of 0.17 ms for 4.7 kB, decision 021
 */
const MAX_SYNC_LENGTH = 32_768

/** A text whose bytes are known already. */
interface EncodedText {
  readonly text: string
  readonly utf8: Buffer
}

/** A text in one encoding, made once for many responses. */
export interface PreparedBody {
  readonly text: string
  /** Null if the text is not compressed. */
  readonly encoding: Encoding | null
  /** Returns the bytes in this encoding. `sendPrepared` does not call it if the encoding is null. */
  bytes(): Buffer | Promise<Buffer>
}

const BODY = Symbol('body')

/** perf: a property of the reply, 0.5 µs less than an entry in a `WeakMap`, decision 053 */
interface OwnReply extends FastifyReply {
  /** What Hydrant sends: a prepared body, or any other that may be compressed. */
  [BODY]?: PreparedBody | EncodedText | 'compressible'
}

/**
 * Sends a response of Hydrant's own, which may be compressed. Responses that a route or a load sends itself never are.
 *
 * @param utf8 The bytes of a text, which are then sent in its place if no hook of the site changes it (null).
 */
export function sendOwn(payload: string | Readable, reply: OwnReply, utf8: Buffer | null = null) {
  if (utf8 !== null && typeof payload === 'string') reply[BODY] = { text: payload, utf8 }
  else if (reply.request.headers['accept-encoding'] !== undefined) reply[BODY] = 'compressible'
  reply.send(payload)
}

/** Sends a text in an encoding that `chooseEncoding` has returned. Hooks of the site see the text. */
export function sendPrepared(body: PreparedBody, reply: OwnReply) {
  reply[BODY] = body
  reply.send(body.text)
}

/**
 * Adds the hook that compresses what `sendOwn` sends, and replaces what `sendPrepared` sends by its bytes. Call it
 * after the site's hooks, which see the response uncompressed.
 *
 * @param options With `compress: false`, nothing is compressed.
 */
export function addCompression(app: FastifyInstance, { compress }: { compress: boolean }) {
  app.addHook('onSend', (request, reply: OwnReply, payload, done) => {
    const own = reply[BODY]
    if (own === undefined) return done(null, payload)
    let body: unknown = payload
    if (own !== 'compressible') {
      const isUnchanged = payload === own.text
      if ('utf8' in own) body = isUnchanged ? own.utf8 : payload
      else if (isUnchanged) return sendBody(own, reply, done)
      else limitChanged(reply)
    }
    if (!compress || request.headers['accept-encoding'] === undefined) return done(null, body)
    if (!(typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable)) return done(null, body)
    const encoding = chooseEncoding(request, reply, body instanceof Readable ? Infinity : body.length)
    if (encoding === null) return done(null, body)
    if (body instanceof Readable) {
      setEncoding(encoding, reply)
      return done(null, compressParts(body, encoding))
    }
    const { acceptsZstd } = readAccepted(request.headers['accept-encoding'])
    // perf: the length of Brotli 3 in half the time, decision 021
    const whole = acceptsZstd ? 'zstd' : encoding
    if (body.length <= MAX_SYNC_LENGTH) {
      const bytes = compressor.sync[whole](body)
      setEncoding(whole, reply)
      return done(null, bytes)
    }
    compressor.aside[whole](body).then((bytes) => {
      setEncoding(whole, reply)
      done(null, bytes)
    }, done)
  })
}

/** Keeps a text out of shared caches that a hook has changed, possibly for this visitor only. */
function limitChanged(reply: FastifyReply) {
  reply.removeHeader('etag')
  limitCaching(reply, 'private')
}

// perf: Node.js writes a text together with the headers and bytes apart from them, 2.3 µs less for a text,
// commit 0965347a
function sendBody(body: PreparedBody, reply: FastifyReply, done: (error: null, payload: Buffer | string) => void) {
  if (body.encoding === null) return done(null, body.text)
  setEncoding(body.encoding, reply)
  const bytes = body.bytes()
  if (Buffer.isBuffer(bytes)) done(null, bytes)
  // The text has been compressed before, or is compressed in memory: it does not fail.
  else void bytes.then((compressed) => done(null, compressed))
}

/** Returns the encoding for a response of a length; null for none. */
export function chooseEncoding(request: FastifyRequest, reply: FastifyReply, length: number): Encoding | null {
  const { encoding, refusesIdentity } = readAccepted(request.headers['accept-encoding'] ?? '')
  if (encoding === null || (length < MIN_LENGTH && !refusesIdentity)) return null
  if (reply.hasHeader('content-encoding') || isForced(request)) return null
  return /\bno-transform\b/i.test(String(reply.getHeader('cache-control'))) ? null : encoding
}

export function setEncoding(encoding: WholeEncoding, reply: FastifyReply) {
  reply.header('content-encoding', encoding)
  reply.removeHeader('content-length')
}

/**
 * Whether another site makes a browser send the request with the visitor's cookies or password, and without a click. An
 * attacker who can do that often, and who sees the length of the responses, can guess their content letter by letter
 * (https://www.breachattack.com).
 */
function isForced({ headers }: FastifyRequest): boolean {
  return isFromOtherOrigin(headers) && hasCredentials(headers) && headers['sec-fetch-user'] === undefined
}

// A browser adds the password of HTTP authentication to the requests of other sites, too. A script adds a bearer token.
function hasCredentials({ cookie, authorization = 'Bearer' }: FastifyRequest['headers']): boolean {
  return cookie !== undefined || !/^Bearer\b/i.test(authorization)
}

// Quality 4 makes a page 5 to 8 % smaller but takes twice the time, and an open stream holds 570 kB instead of 330 kB
// (decision 021).
const BROTLI_QUALITY = 3
const GZIP_LEVEL = 6
const compressor = createBodyCompressor(BROTLI_QUALITY, GZIP_LEVEL)

/** Compresses a stream and flushes after each part. `pipeline` destroys both streams when one of them fails. */
function compressParts(parts: Readable, encoding: Encoding): Transform {
  const transform =
    encoding === 'br'
      ? zlib.createBrotliCompress({
          params: brotliParams(BROTLI_QUALITY),
          flush: zlib.constants.BROTLI_OPERATION_FLUSH,
        })
      : zlib.createGzip({ level: GZIP_LEVEL, flush: zlib.constants.Z_SYNC_FLUSH })
  return pipeline(parts, transform, () => {
    // The error also surfaces on the transform.
  })
}
