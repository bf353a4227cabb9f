import { type IncomingMessage, ServerResponse } from 'node:http'

type Callback = (error?: Error | null) => void

/** Node's response, which counts the bytes of its body: they are not in a header when it is sent in parts. */
export class CountedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  bodyBytes = 0

  override write(chunk: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
    this.bodyBytes += sizeOf(chunk, encoding)
    // Node takes the callback in the place of the encoding; its types say so in overloads.
    return super.write(chunk, encoding as BufferEncoding, callback as Callback)
  }

  override end(chunk?: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): this {
    this.bodyBytes += sizeOf(chunk, encoding)
    // As above.
    return super.end(chunk, encoding as BufferEncoding, callback as Callback)
  }
}

function sizeOf(chunk: unknown, encoding?: BufferEncoding | Callback): number {
  if (typeof chunk === 'string') return Buffer.byteLength(chunk, typeof encoding === 'string' ? encoding : 'utf8')
  return chunk instanceof Uint8Array ? chunk.byteLength : 0
}

const WITHOUT_BODY = [204, 304]

/** Bytes of the body that were handed to the connection. Of another response the number that its header says, if it has one. */
export function bodyBytesOf(raw: ServerResponse, method: string): number | undefined {
  if (method === 'HEAD' || WITHOUT_BODY.includes(raw.statusCode)) return 0
  if (raw instanceof CountedResponse) return raw.bodyBytes
  const length = raw.getHeader('content-length')
  return length === undefined ? undefined : Number(length)
}
