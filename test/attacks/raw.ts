// Requests as bytes, for what no client would send.

import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'

export interface RawAnswer {
  status: number
  /** Each line, without the first. */
  headers: string[]
  body: string
}

export interface RawServer {
  port: number
  /** Writes the bytes and reads until the server closes the connection. */
  send(bytes: string): Promise<string>
}

/** Listens on a port of its own. Whatever is sent has to make the server close: `Connection: close`, or a mistake. */
export async function listenRaw(t: Pick<Test, 'teardown'>, app: FastifyInstance): Promise<RawServer> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.server.closeAllConnections())
  const port = Number(new URL(app.listeningOrigin).port)
  return { port, send: (bytes) => sendRaw(port, bytes) }
}

/** The same to a server that listens already. */
export function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      answer += text
    })
    // A server that refuses may close before it has read everything: what it has said until then counts.
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    socket.write(bytes, 'latin1')
  })
}

/** A request, line by line; the connection is closed behind the answer. */
export function rawRequest(line: string, headers: readonly string[] = [], body = ''): string {
  return [line, ...headers, 'Connection: close', '', body].join('\r\n')
}

export function parseRaw(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n')
  const [first = '', ...headers] = answer.slice(0, end).split('\r\n')
  return { status: Number(first.split(' ')[1]), headers, body: answer.slice(end + 4) }
}

/** How many answers stand one behind the other. */
export function countAnswers(answer: string): number {
  return answer.split(/HTTP\/1\.1 \d{3} [A-Z]/).length - 1
}
