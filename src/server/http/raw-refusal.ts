import type { Socket } from 'node:net'
import { NO_STORE } from './caching.ts'
import { createRefusalProblem, PROBLEM_TYPE } from './problem.ts'

// Refusals of requests that never become a request for Fastify or the site.

export interface RawRefusal {
  status: number
  detail: string
}

/** How long the client has to read the response. Data that still arrives is dropped. */
const LINGER_MS = 1_000

/** Writes a refusal to a connection, and closes it. */
export function writeRefusal(socket: Socket, refusal: RawRefusal) {
  socket.end(compose(refusal))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

// The response is always problem+json: the headers with the preference of the client have not been read.
function compose({ status, detail }: RawRefusal): string {
  const problem = createRefusalProblem(status, detail)
  const body = JSON.stringify(problem)
  const headers = [
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Cache-Control: ${NO_STORE}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  return `HTTP/1.1 ${status} ${problem.title}\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}
