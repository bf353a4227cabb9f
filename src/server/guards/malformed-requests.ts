// What Node's parser refuses before there is a request: neither Fastify nor the site learns of it.

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import { NO_STORE } from '../http/headers.ts'
import { PROBLEM_TYPE } from '../http/problem.ts'
import { countOf, createThrottledLine, type ThrottledLine } from '../log/throttled-line.ts'

interface Refusal {
  status: number
  detail: string
}

const TOO_SLOW: Refusal = { status: 408, detail: 'The request took too long to arrive.' }
const TOO_LARGE: Refusal = { status: 431, detail: 'The headers of the request are too large.' }
const MALFORMED: Refusal = { status: 400, detail: 'The request is malformed.' }

/** How long the visitor has to take the answer, while what still arrives is thrown away. */
const LINGER_MS = 1_000

/** Answers what is no request, ends its connection and tells the log, which no flood of it can fill. */
export function createClientErrorHandler(write: (details: object, message: string) => void) {
  const lines = new Map<Refusal, ThrottledLine>()
  let last: { reason: string; remoteAddress: string | undefined } | null = null

  function tell(refusal: Refusal, error: ConnectionError, { remoteAddress }: Socket) {
    last = { reason: error.code, remoteAddress }
    const { status, detail } = refusal
    const line =
      lines.get(refusal) ??
      createThrottledLine((count) =>
        write(
          { statusCode: status, refused: count, ...last },
          `refused with ${status}: ${detail} (${countOf(count, 'request')})`,
        ),
      )
    lines.set(refusal, line)
    line.count()
  }

  return {
    handle(error: ConnectionError, socket: Socket) {
      // It has been refused already: whatever still comes is met with the same error.
      if (socket.writableEnded || socket.destroyed) return
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      // Browsers open connections ahead, and would take this for the answer to what they ask for in the same moment.
      if (socket.bytesRead === 0) return void socket.destroy()
      const refusal = meaningOf(error)
      tell(refusal, error, socket)
      // Behind a part of another answer this one would be taken for the rest of it.
      if (hasBegunAnswer(socket)) return void socket.destroy()
      socket.end(compose(refusal))
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    },
    stop() {
      for (const line of lines.values()) line.stop()
    },
  }
}

function meaningOf({ code }: ConnectionError): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return TOO_SLOW
    case 'HPE_HEADER_OVERFLOW':
      return TOO_LARGE
    default:
      return MALFORMED
  }
}

function hasBegunAnswer(socket: Socket): boolean {
  // Node keeps the response that is being written there, and offers no other way to it.
  const { _httpMessage: response } = socket as { _httpMessage?: { headersSent: boolean } | null }
  return response?.headersSent === true
}

// Nobody knows what the visitor would rather have read.
function compose({ status, detail }: Refusal): string {
  const title = STATUS_CODES[status]
  const body = JSON.stringify({ type: 'about:blank', title, status, detail })
  const headers = [
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Cache-Control: ${NO_STORE}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  return `HTTP/1.1 ${status} ${title}\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}
