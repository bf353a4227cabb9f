import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

export type Headers = Readonly<Record<string, string>>

/** The headers that Chromium sends for a typed URL, without `Accept-Encoding`. */
export const BROWSER: Headers = {
  'sec-ch-ua': '"Chromium";v="156", "Not)A;Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'Upgrade-Insecure-Requests': '1',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  Accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,' +
    'application/signed-exchange;v=b3;q=0.7',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
  'Accept-Language': 'en-US,en;q=0.9',
}

export const COMPRESSED: Headers = { ...BROWSER, 'Accept-Encoding': 'gzip, deflate, br, zstd' }

/** The path of each request, or a function that returns the path of the next one. */
export type Path = string | (() => string)

/**
 * A minimal HTTP client over persistent connections. It does as little work as possible, because it may share a machine
 * with the measured server.
 */
export class Asker {
  /** A request without its first line. */
  #head: string
  #url: URL
  #idle: Socket[] = []
  #open: Socket[] = []
  /** Returns the next path to request; null if no request is due. */
  #next: () => string | null = () => null
  #answered = 0
  #isCut = false

  private constructor(url: string, headers: Headers) {
    this.#url = new URL(url)
    const lines = Object.entries({ Host: this.#url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    this.#head = `${lines.join('')}\r\n`
  }

  /** @param headers Headers of each request in addition to `Host`. */
  static async connect(url: string, connections: number, headers: Headers): Promise<Asker> {
    const asker = new Asker(url, headers)
    await Promise.all(Array.from({ length: connections }, () => asker.#connect()))
    return asker
  }

  /** Requests a path continuously over all connections. Resolves with the requests per second. */
  async saturate(path: Path, ms: number): Promise<number> {
    const begin = performance.now()
    this.#answered = 0
    this.#next = typeof path === 'string' ? () => path : path
    this.#askOnIdle()
    await stayAwake(ms)
    const rate = this.#answered / ((performance.now() - begin) / 1_000)
    this.#next = () => null
    await this.#settle()
    return rate
  }

  /** Requests the paths at an even pace over `ms` milliseconds. Resolves when all responses have arrived. */
  async pace(paths: readonly string[], ms: number): Promise<void> {
    const begin = performance.now()
    let sent = 0
    const due = () => Math.min(paths.length, Math.floor(((performance.now() - begin) / ms) * paths.length))
    this.#next = () => (sent < due() ? (paths[sent++] ?? null) : null)
    while (sent < paths.length) {
      this.#askOnIdle()
      await wait(2)
    }
    await this.#settle()
  }

  /** The number of responses since `saturate` was called last, with those that came after its time. */
  get answered(): number {
    return this.#answered
  }

  close() {
    for (const socket of this.#open) socket.destroy()
  }

  async #connect() {
    const { hostname, port } = this.#url
    const socket = connect(Number(port), hostname).setNoDelay()
    let received = Buffer.alloc(0)
    socket.on('data', (part) => {
      received = received.length === 0 ? part : Buffer.concat([received, part])
      if (!isWhole(received)) return
      received = Buffer.alloc(0)
      this.#answered++
      this.#ask(socket)
    })
    socket.once('close', () => {
      this.#isCut = true
    })
    await once(socket, 'connect')
    this.#open.push(socket)
    this.#idle.push(socket)
  }

  #askOnIdle() {
    for (const socket of this.#idle.splice(0)) this.#ask(socket)
  }

  #ask(socket: Socket) {
    const path = this.#next()
    if (path === null) this.#idle.push(socket)
    else socket.write(`GET ${path} HTTP/1.1\r\n${this.#head}`)
  }

  async #settle() {
    while (this.#idle.length < this.#open.length) {
      if (this.#isCut) throw new Error('the server has closed a connection')
      await wait(1)
    }
  }
}

// Spins instead of sleeping. Waking a sleeping client is work for the server's core, and it is more work per response
// the slower the page is. A client across a network does not cause this work.
async function stayAwake(ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end) await nextTurn()
}

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

/** Returns whether a response has arrived: all bytes of its `Content-Length`, or the last chunk. */
export function isWhole(received: Buffer): boolean {
  const end = received.indexOf(HEAD_END)
  if (end === -1) return false
  const length = /^content-length: (\d+)/im.exec(received.toString('latin1', 0, end))?.[1]
  if (length === undefined) return received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
  return received.length >= end + HEAD_END.length + Number(length)
}
