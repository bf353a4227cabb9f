import { Agent } from 'node:http'
import { type Asked, type Expectation, exchange, judge, leaveEarly, type Outcome } from './exchange.ts'

/** A client that makes one request after another. */
export interface Visitor {
  port: number
  agent: Agent
  /** The id of the build of its pages. */
  build: string
  /** The URL path of a script of the site. */
  asset: string
}

const KEEP_ALIVE_SHARE = 0.8

/** Returns an agent with its own client address. Some agents open a new connection for each request. */
export function createAgent(index: number): Agent {
  return new Agent({
    keepAlive: Math.random() < KEEP_ALIVE_SHARE,
    maxSockets: 1,
    localAddress: `127.1.${index}.${1 + Math.floor(Math.random() * 250)}`,
  })
}

/** Returns random letters. Digits are masked in messages, so only letters give a failure another fingerprint. */
export function randomWord(): string {
  return Array.from({ length: 12 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('')
}

export function pick<T>(...choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(Math.random() * choices.length)] ?? choices[0]
}

/** One kind of request that visitors make. */
export interface Kind {
  name: string
  /** The frequency, relative to the other kinds. */
  weight: number
  /** Whether it causes a failure, with a log line and a ledger entry. */
  fails: boolean
  run(visitor: Visitor): Promise<Outcome>
}

type Request = Omit<Asked, 'port' | 'agent'>

export const HTML = { accept: 'text/html' }
export const JSON_ONLY = { accept: 'application/json' }
const DOCUMENT_END = '</html>'
export const SENTENCE = 'Application error: a server-side exception has occurred while loading 127.0.0.1'
export const DIGEST = { 'x-error-digest': /^[0-9A-Z]{8}-[0-9A-Z]{6}$/ }
const FILE_BYTES = 200_000

export const page = (status: number, holds = 'The end of the page.'): Expectation => ({
  status,
  holds,
  ends: DOCUMENT_END,
})
export const failed = (status: number): Expectation => ({ ...page(status, SENTENCE), headers: DIGEST })

export function ask(
  name: string,
  weight: number,
  request: Request | ((visitor: Visitor) => Request),
  expected: Expectation,
) {
  const run = async (visitor: Visitor) => {
    const { headers, ...own } = typeof request === 'function' ? request(visitor) : request
    const encoding = pick('identity', 'gzip', 'br, gzip')
    const answer = await exchange({ ...visitor, ...own, headers: { 'accept-encoding': encoding, ...headers } })
    return judge(answer, expected)
  }
  return { name, weight, fails: false, run }
}

export function failing(kinds: readonly Kind[]): readonly Kind[] {
  return kinds.map((kind) => ({ ...kind, fails: true }))
}

export function leave(name: string, weight: number, request: () => Request, afterMs: () => number | null): Kind {
  const run = async ({ port, agent }: Visitor): Promise<Outcome> => {
    await leaveEarly({ ...request(), port, agent }, afterMs())
    return { kind: 'left' }
  }
  return { name, weight, fails: false, run }
}

export function post(path: string, type: string, body: string | Buffer, accept = 'text/html'): Request {
  return { method: 'POST', path, body, headers: { 'content-type': type, accept } }
}

export const URLENCODED = 'application/x-www-form-urlencoded'
const BOUNDARY = 'a-boundary-of-forms'
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`

function multipart(fileBytes: number): string {
  const field = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="text"\r\n\r\nSome words.\r\n`
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n`
  return `${field}${head}${'x'.repeat(fileBytes)}\r\n--${BOUNDARY}--\r\n`
}

export const withFile = post('/form', MULTIPART, multipart(FILE_BYTES))
export const fileArrived = page(200, `11 characters, ${FILE_BYTES} bytes`)
export const navigation = (build: string) => ({ 'hydrant-build': build, 'hydrant-layouts': 'none' })

export function report(build: string, asset: string, port: number): string {
  const stack = `Error: soak: a handler throws.\n    at onClick (http://127.0.0.1:${port}${asset}:1:200)`
  const error = { type: 'Error', message: 'soak: a handler throws.', stack }
  return JSON.stringify({ kind: 'failure', build, path: '/', isRecovered: true, error })
}
