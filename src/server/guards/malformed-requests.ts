import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import { type RawRefusal, writeRefusal } from '../http/raw-refusal.ts'
import { countOf, createThrottledLine } from '../log/throttled-line.ts'
import { currentResponse } from '../util/current-response.ts'

// Requests that Node's parser refuses. They never become a request for Fastify or the site.

const TOO_SLOW: RawRefusal = { status: 408, detail: 'The request took too long to arrive.' }
const TOO_LARGE: RawRefusal = { status: 431, detail: 'The headers of the request are too large.' }
const MALFORMED: RawRefusal = { status: 400, detail: 'The request is malformed.' }

/** The options that set the limits. Only the log names them. */
const OPTIONS = new Map([
  [TOO_SLOW, 'timeouts.headersMs" or "timeouts.requestMs'],
  [TOO_LARGE, 'limits.maxHeaderBytes'],
])

type WriteLine = (details: object, message: string) => void

/** What the line says about the last request of a kind. */
interface LastRequest {
  reason: string
  remoteAddress: string | undefined
}

interface RefusalLine {
  count(request: LastRequest): void
  stop(): void
}

/** Creates the throttled line of one kind of refusals. */
function createRefusalLine(refusal: RawRefusal, write: WriteLine, intervalMs?: number): RefusalLine {
  const { status, detail } = refusal
  const option = OPTIONS.get(refusal)
  const hint = option === undefined ? '' : `; see "${option}"`
  let last: LastRequest | null = null
  const { count, stop } = createThrottledLine((refused) => {
    const message = `refused with ${status}: ${detail} (${countOf(refused, 'request')}${hint})`
    write({ statusCode: status, refused, ...last }, message)
  }, intervalMs)
  return {
    count(request) {
      last = request
      count()
    },
    stop,
  }
}

/** Creates the listener that responds to malformed requests, closes their connections and logs them, throttled. */
export function createClientErrorHandler(write: WriteLine, intervalMs?: number) {
  const lines = new Map<RawRefusal, RefusalLine>()

  function log(refusal: RawRefusal, error: ConnectionError, { remoteAddress }: Socket) {
    const line = lines.get(refusal) ?? createRefusalLine(refusal, write, intervalMs)
    lines.set(refusal, line)
    line.count({ reason: error.code, remoteAddress })
  }

  return {
    handle(error: ConnectionError, socket: Socket) {
      // The request has been refused already. More data causes the same error again.
      if (socket.writableEnded || socket.destroyed) return
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      // Browsers open connections in advance. They would take the refusal for the response to the request they send
      // next.
      if (socket.bytesRead === 0) return void socket.destroy()
      const refusal = refusalOf(error)
      log(refusal, error, socket)
      // After a part of another response, the refusal would be taken for the rest of it.
      if (currentResponse(socket)?.headersSent) return void socket.destroy()
      writeRefusal(socket, refusal)
    },
    stop() {
      for (const line of lines.values()) line.stop()
    },
  }
}

function refusalOf({ code }: ConnectionError): RawRefusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return TOO_SLOW
    case 'HPE_HEADER_OVERFLOW':
      return TOO_LARGE
    default:
      return MALFORMED
  }
}
