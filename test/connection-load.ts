// Clients on raw sockets that send requests without a pause and detect each request whose response is lost.

import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from './until.ts'

export interface LoadOptions {
  at: NetConnectOpts
  /** The number of simultaneous connections. */
  connections: number
  /** The number of requests in flight per connection (1). */
  depth?: number
  /** Whether each request uses a new connection (false). */
  isFresh?: boolean
  /** The body of a POST. Without it the requests are GET. */
  body?: string
  path?: string
}

export interface ConnectionLoad {
  /** The number of complete responses. */
  answered(): number
  /** Resolves when that many more have arrived. */
  untilAnswered(more: number): Promise<void>
  /**
   * Requests without a complete response, on connections that the server has accepted. A request that was sent after
   * a response with `Connection: close` does not count: its client knows that it was not processed.
   */
  broken: readonly string[]
  /** Statuses other than 200. */
  refused: readonly number[]
  /** The longest time for which the event loop of the clients did not run. */
  longestGapMs(): number
  stop(): Promise<void>
}

/** Connection errors that mean that no server listens: nothing was accepted, and nothing is lost. */
const NOBODY = ['ECONNREFUSED', 'ENOENT']
const PART_BYTES = 16_384
const TICK_MS = 50
/** A client that does not run for longer may be late for a server that stops. */
const LATE_MS = 300
const ATTEMPTS = 5
/** The pause of a client that finds no server, before it tries again. */
const AWAY_MS = 20

/** Clients of each kind, enough to keep a server busy. */
export const LOADS: Record<string, Omit<LoadOptions, 'at'>> = {
  'connections that are kept alive': { connections: 128 },
  'a connection for each request': { connections: 64, isFresh: true },
  'requests that do not wait for an answer': { connections: 16, depth: 4 },
  uploads: { connections: 16, body: 'x'.repeat(60_000), path: '/pid' },
}

/**
 * Calls `attempt` again, up to four times, if a request is lost and its clients did not run for a while: a server that stops
 * closes a connection after half a second without a request, and a client that is late sends one on it.
 */
export async function repeatIfLate(
  attempt: () => Promise<readonly ConnectionLoad[]>,
): Promise<readonly ConnectionLoad[]> {
  for (let count = 1; ; count++) {
    const loads = await attempt()
    const isLate = loads.some(({ broken, longestGapMs }) => broken.length > 0 && longestGapMs() > LATE_MS)
    if (!isLate || count === ATTEMPTS) return loads
  }
}

export function startLoad(options: LoadOptions): ConnectionLoad {
  const { at, connections, depth = 1, isFresh = false, body, path = '/' } = options
  const broken: string[] = []
  const refused: number[] = []
  let answered = 0
  let isDone = false
  let seenAt = performance.now()
  let longestGapMs = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longestGapMs = Math.max(longestGapMs, now - seenAt)
    seenAt = now
  }, TICK_MS).unref()
  const head = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n`
  const length = body === undefined ? '' : `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const request = `${head}${length}${isFresh ? 'Connection: close\r\n' : ''}\r\n${body ?? ''}`

  function useConnection(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(at)
      let received = Buffer.alloc(0)
      let waiting = 0
      let isConnected = false
      let isLast = false
      const ask = () => {
        while (waiting < depth && !isDone && !isLast) {
          waiting++
          void sendInParts(socket, request)
        }
        if (waiting === 0) socket.end()
      }
      socket.on('connect', () => {
        isConnected = true
        ask()
      })
      socket.on('data', (part: Buffer) => {
        received = Buffer.concat([received, part])
        for (let answer = readAnswer(received); answer !== null && !isLast; answer = readAnswer(received)) {
          received = received.subarray(answer.end)
          if (answer.status !== 200) refused.push(answer.status)
          answered++
          isLast = answer.isLast
          waiting = isLast ? 0 : waiting - 1
        }
        ask()
      })
      let why = 'ended'
      socket.on('error', (error: NodeJS.ErrnoException) => {
        why = error.code ?? error.message
        if (!isConnected && !NOBODY.includes(why)) broken.push(`${why} while it connected`)
      })
      socket.on('close', () => {
        if (isConnected) for (let index = 0; index < waiting; index++) broken.push(`${why} behind ${answered} answers`)
        resolve(isConnected ? undefined : pause(AWAY_MS))
      })
    })
  }

  const asking = Array.from({ length: connections }, async () => {
    while (!isDone) await useConnection()
  })
  return {
    ...{ broken, refused },
    answered: () => answered,
    longestGapMs: () => longestGapMs,
    async untilAnswered(more) {
      const wanted = answered + more
      await until(() => answered >= wanted)
    },
    async stop() {
      isDone = true
      await Promise.all(asking)
      clearInterval(timer)
    },
  }
}

/** Sends a long body like an upload: one part after another. */
async function sendInParts(socket: Socket, request: string) {
  for (let start = 0; start < request.length; start += PART_BYTES) {
    if (start > 0) await pause(1)
    socket.write(request.slice(start, start + PART_BYTES))
  }
}

/** Returns null if the response has not arrived completely. */
function readAnswer(received: Buffer): { end: number; status: number; isLast: boolean } | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const head = received.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  const end = length === undefined ? findLastChunk(received, headEnd + 4) : headEnd + 4 + Number(length)
  if (end === null || received.length < end) return null
  return { end, status: Number(head.slice(9, 12)), isLast: /\r\nconnection: close/i.test(head) }
}

function findLastChunk(received: Buffer, start: number): number | null {
  for (let at = start; ; ) {
    const lineEnd = received.indexOf('\r\n', at)
    if (lineEnd === -1) return null
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16)
    at = lineEnd + 4 + size
    if (received.length < at) return null
    if (size === 0) return at
  }
}
