import { type IncomingMessage, ServerResponse } from 'node:http'

type Callback = (error?: Error | null) => void

/** A response of Node.js that counts the bytes of its body: one that is sent in parts has no `Content-Length`. */
export class CountedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  bodyBytes = 0

  override write(chunk: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
    this.bodyBytes += sizeOf(chunk, encoding)
    // Node accepts a callback as the second argument. Its types express that in overloads.
    return super.write(chunk, encoding as BufferEncoding, callback as Callback)
  }

  override end(chunk?: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): this {
    this.bodyBytes += sizeOf(chunk, encoding)
    // `end` has the overloads of `write`.
    return super.end(chunk, encoding as BufferEncoding, callback as Callback)
  }
}

function sizeOf(chunk: unknown, encoding?: BufferEncoding | Callback): number {
  if (typeof chunk === 'string') return Buffer.byteLength(chunk, typeof encoding === 'string' ? encoding : 'utf8')
  return chunk instanceof Uint8Array ? chunk.byteLength : 0
}

const WITHOUT_BODY = [204, 304]

/**
 * Returns how many bytes of the body were written to the connection. For a response that does not count, it is the
 * `Content-Length`; undefined if there is none.
 */
export function bodyBytesOf(raw: ServerResponse, method: string): number | undefined {
  if (method === 'HEAD' || WITHOUT_BODY.includes(raw.statusCode)) return 0
  if (raw instanceof CountedResponse) return raw.bodyBytes
  const length = raw.getHeader('content-length')
  return length === undefined ? undefined : Number(length)
}
