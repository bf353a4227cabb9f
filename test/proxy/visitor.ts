import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { createBrotliDecompress } from 'node:zlib'
import type { Test } from 'tap'
import { HOST } from './documented.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface Ask {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
  /**
   * Called with everything that has arrived so far, each time that data arrives. If it returns false, the client
   * disconnects.
   */
  onText?(text: string): unknown
}

/** A client that uses HTTP/2 with a proxy. */
export interface Visitor {
  /** The protocol that the proxy has agreed to. */
  protocol: string | undefined
  /** The origin in the address bar: `https://shop.example:8443`. */
  origin: string
  ask(what: Ask): Promise<Answer>
}

const BROWSER = {
  accept: 'text/html',
  'accept-encoding': 'br',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36',
}

/** @param address The address of the client: any that begins with `127.` is this machine's. */
export async function openVisitor(t: Pick<Test, 'teardown'>, port: number, address: string): Promise<Visitor> {
  const origin = `https://${HOST}:${port}`
  const session = connect(origin, {
    createConnection: () =>
      connectTls({
        ...{ host: '127.0.0.1', port, localAddress: address, servername: HOST },
        ALPNProtocols: ['h2'],
        rejectUnauthorized: false,
      }),
  })
  await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject))
  t.teardown(() => session.destroy())
  return { protocol: session.alpnProtocol, origin, ask: (what) => ask(session, what) }
}

function ask(session: ClientHttp2Session, what: Ask): Promise<Answer> {
  const { path, method = 'GET', headers = {}, body, onText } = what
  return new Promise((resolve, reject) => {
    const stream = session.request({ ...BROWSER, ...headers, ':path': path, ':method': method })
    stream.on('error', reject)
    stream.on('aborted', () => reject(new Error('The visitor has gone.')))
    stream.on('response', (answered) => {
      let text = ''
      const isCompressed = answered['content-encoding'] === 'br'
      const source = isCompressed ? stream.pipe(createBrotliDecompress()) : stream
      source.setEncoding('utf8')
      source.on('data', (part: string) => {
        text += part
        if (onText?.(text) === false) stream.close(constants.NGHTTP2_CANCEL)
      })
      source.on('error', reject)
      source.on('end', () => resolve({ status: Number(answered[':status']), headers: answered, body: text }))
    })
    stream.end(body)
  })
}
