// Requests as bytes, which no client would send.

import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'

export interface RawAnswer {
  status: number
  /** The header lines, without the first line. */
  headers: string[]
  body: string
}

export interface RawServer {
  port: number
  /** Writes the bytes and reads until the server closes the connection. */
  send(bytes: string): Promise<string>
}

/**
 * Listens on a free port. The bytes must make the server close the connection: with `Connection: close`, or with an
 * error.
 */
export async function listenRaw(t: Pick<Test, 'teardown'>, app: FastifyInstance): Promise<RawServer> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.server.closeAllConnections())
  const port = Number(new URL(app.listeningOrigin).port)
  return { port, send: (bytes) => sendRaw(port, bytes) }
}

/** Sends the bytes to a server that already listens. */
export function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      answer += text
    })
    // A server that refuses may close before it has read everything. The response up to then counts.
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    socket.write(bytes, 'latin1')
  })
}

/** Returns a request. The connection is closed after the response. */
export function rawRequest(line: string, headers: readonly string[] = [], body = ''): string {
  return [line, ...headers, 'Connection: close', '', body].join('\r\n')
}

export function parseRaw(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n')
  const [first = '', ...headers] = answer.slice(0, end).split('\r\n')
  return { status: Number(first.split(' ')[1]), headers, body: answer.slice(end + 4) }
}

/** Returns the number of responses in a row. */
export function countAnswers(answer: string): number {
  return answer.split(/HTTP\/1\.1 \d{3} [A-Z]/).length - 1
}
