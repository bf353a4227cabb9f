import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export interface Asked {
  port: number
  agent: Agent
  path: string
  /** The HTTP method (GET). */
  method?: string
  headers?: Record<string, string>
  body?: Buffer | string
  /** Sends the body in `pieces` parts, with a pause before each. */
  writing?: { pieces: number; pauseMs: number }
  /** The pause after each received chunk. */
  readPauseMs?: number
  /** Rejects after this time without data (30 s). */
  timeoutMs?: number
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** Whether the end has arrived: all bytes of its `Content-Length`, or the last chunk. */
  isComplete: boolean
}

const TIMEOUT_MS = 30_000

/** Sends a request and reads the response to its end. Rejects if there is no response. */
export async function exchange(asked: Asked): Promise<Answer> {
  const response = await send(asked)
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      if (asked.readPauseMs !== undefined) await wait(asked.readPauseMs)
    }
  } catch {
    // The response was cut: `complete` is false.
  }
  const { statusCode: status = 0, headers, complete: isComplete } = response
  return { status, headers, text: isComplete ? decode(headers, Buffer.concat(chunks)) : '', isComplete }
}

/**
 * Sends a request and disconnects: after `afterMs` milliseconds, or with the first chunk of the response if it is
 * null.
 */
export async function leaveEarly(asked: Asked, afterMs: number | null): Promise<void> {
  const gone = new AbortController()
  const timer = afterMs === null ? undefined : setTimeout(() => gone.abort(), afterMs)
  try {
    const response = await send(asked, gone.signal)
    for await (const _ of response) {
      if (afterMs === null) gone.abort()
      if (asked.readPauseMs !== undefined) await wait(asked.readPauseMs, null, { signal: gone.signal })
    }
  } catch (error) {
    if (!gone.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
}

function send(asked: Asked, signal?: AbortSignal): Promise<IncomingMessage> {
  const { port, agent, path, method = 'GET', headers = {}, body = '', timeoutMs = TIMEOUT_MS } = asked
  const own = method === 'GET' || method === 'HEAD' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port, agent, path, method },
        headers: { ...own, ...headers },
        ...(signal ? { signal } : {}),
      },
      resolve,
    )
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`nothing came for ${timeoutMs} ms`)))
    outgoing.on('error', reject)
    void write(Buffer.from(body), asked, (piece) => outgoing.destroyed || outgoing.write(piece)).then(() =>
      outgoing.end(),
    )
  })
}

async function write(body: Buffer, { writing }: Asked, send: (piece: Buffer) => void) {
  if (body.length === 0) return
  if (!writing) return void send(body)
  const size = Math.ceil(body.length / writing.pieces)
  for (let at = 0; at < body.length; at += size) {
    await wait(writing.pauseMs)
    send(body.subarray(at, at + size))
  }
}

function decode({ 'content-encoding': encoding }: IncomingHttpHeaders, bytes: Buffer): string {
  // A response to HEAD has the `content-encoding` header but no body.
  if (bytes.length === 0) return ''
  if (encoding === 'br') return brotliDecompressSync(bytes).toString()
  if (encoding === 'gzip') return gunzipSync(bytes).toString()
  return bytes.toString()
}

/** The outcome of a request: a complete response, a clean refusal, a visitor who left, or a wrong response. */
export type Outcome = { kind: 'whole' | 'refused' | 'left' } | { kind: 'wrong'; problem: string }

export interface Expectation {
  status: number
  /** Text that the response must contain. */
  holds?: string
  /** Text with which the response must end. */
  ends?: string
  headers?: Record<string, RegExp>
}

/** Statuses that are accepted for any request. */
const REFUSALS = [408, 429, 503]

export function judge({ status, headers, text, isComplete }: Answer, expected: Expectation): Outcome {
  if (!isComplete) return wrong(`${status} was cut in the middle`)
  if (status !== expected.status) {
    return REFUSALS.includes(status) && text !== ''
      ? { kind: 'refused' }
      : wrong(`${status} instead of ${expected.status}: ${text.slice(0, 200)}`)
  }
  const { holds = '', ends = '' } = expected
  if (!text.includes(holds)) return wrong(`${status} without ${JSON.stringify(holds)}: ${text.slice(-200)}`)
  if (!text.trimEnd().endsWith(ends)) return wrong(`${status} ends with ${JSON.stringify(text.slice(-100))}`)
  for (const [name, pattern] of Object.entries(expected.headers ?? {})) {
    if (!pattern.test(String(headers[name]))) return wrong(`${status} with ${name}: ${headers[name]}`)
  }
  return { kind: status >= 400 && status < 500 ? 'refused' : 'whole' }
}

export function wrong(problem: string): Outcome {
  return { kind: 'wrong', problem }
}
