// Requests that tests and adapters pass to `app.routing`.

import { EventEmitter } from 'node:events'
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Duplex, Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Suspense, use } from 'react'
import t from 'tap'
import type { ActionContext } from '../../../src/server/index.ts'
import type { PageProps } from '../../../src/shared/react.ts'
import { testSite } from '../../test-site.ts'

const loadLate = () => ({ text: new Promise<string>((resolve) => setImmediate(resolve, 'late')) })
const Late = ({ text }: ReturnType<typeof loadLate>) => <p>{use(text)}</p>

const site = {
  '/': {},
  '/late': {
    Component: ({ data }: { data: ReturnType<typeof loadLate> }) => (
      <Suspense fallback="wait">
        <Late {...data} />
      </Suspense>
    ),
    load: loadLate,
  },
  '/form': {
    Component: ({ actionData }: PageProps) => <p>{String(actionData)}</p>,
    action: ({ form }: ActionContext) => form.get('text'),
  },
}

async function server(app: FastifyInstance) {
  app.post('/api', async ({ body }) => body)
}

/** The text of a response, when it is complete. */
type Answer = Promise<string>

/** Collects what is written to a response, which has no connection. */
function collect(response: ServerResponse): Answer {
  const parts: string[] = []
  return new Promise((resolve) => {
    const end = (part?: string | Buffer) => {
      Object.defineProperty(response, 'writableEnded', { value: true })
      resolve(parts.concat(part === undefined ? [] : String(part)).join(''))
      setImmediate(() => response.emit('finish'))
      return response
    }
    Object.assign(response, { write: (part: string | Buffer) => parts.push(String(part)) > 0, end })
  })
}

class PlainResponse extends EventEmitter {
  statusCode = 200
  headersSent = false
  writableEnded = false
  headers: OutgoingHttpHeaders = {}
  getHeader = (name: string) => this.headers[name.toLowerCase()]
  getHeaders = () => this.headers
  getHeaderNames = () => Object.keys(this.headers)
  hasHeader = (name: string) => name.toLowerCase() in this.headers
  setHeader(name: string, value: string) {
    this.headers[name.toLowerCase()] = value
  }
  removeHeader(name: string) {
    delete this.headers[name.toLowerCase()]
  }
  writeHead(status: number, headers: OutgoingHttpHeaders) {
    this.headersSent = true
    this.statusCode = status
    Object.assign(this.headers, headers)
    return this
  }
  write = () => true
  end = () => {}
}

interface Mocked {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

/** Creates a request of Node.js without a connection, or with a part of one. */
function requestWith(socket: object | null, { body, ...given }: Mocked): IncomingMessage {
  // Node.js accepts any object here.
  const request = Object.assign(new IncomingMessage(socket as Socket), given, { complete: true })
  if (body !== '') request.push(body)
  request.push(null)
  return request
}

const WAYS: Record<string, (app: FastifyInstance, mocked: Mocked) => Answer> = {
  'without a socket': (app, mocked) => routeNode(app, null, mocked),
  'with a socket on the request only': (app, mocked) => routeNode(app, new Socket(), mocked),
  'with a plain object as the socket': (app, mocked) =>
    routeNode(app, { remoteAddress: '192.0.2.1', destroy() {}, destroyed: false }, mocked),
  'with a socket that is a stream'(app, mocked) {
    const socket = new Duplex({ read() {}, write: (_part, _encoding, done) => done() })
    const request = Object.assign(requestWith(socket, mocked), { httpVersion: '1.1', httpVersionMajor: 1 })
    const response = new ServerResponse(request)
    // The type has only the sockets of connections.
    response.assignSocket(socket as Socket)
    return route(app, request, response)
  },
  'of plain objects'(app, { body, ...given }) {
    const request = Object.assign(Readable.from(body === '' ? [] : [Buffer.from(body)]), given)
    return route(app, request as IncomingMessage, new PlainResponse() as unknown as ServerResponse)
  },
}

function routeNode(app: FastifyInstance, socket: object | null, mocked: Mocked): Answer {
  const request = requestWith(socket, mocked)
  return route(app, request, new ServerResponse(request))
}

function route(app: FastifyInstance, request: IncomingMessage, response: ServerResponse): Answer {
  const answer = collect(response)
  app.routing(request, response)
  return answer
}

t.test('requests without a connection get their response', async (t) => {
  const { app } = await testSite(t, site, { server, ledger: false })
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '9' }
  const json = { 'content-type': 'application/json', 'content-length': '9' }
  for (const [way, respond] of Object.entries(WAYS)) {
    for (const [method, url, headers, body, expected] of [
      ['GET', '/', {}, '', '<p>page</p>'],
      ['GET', '/late', {}, '', '<p>late</p>'],
      ['GET', '/unknown', {}, '', 'This page could not be found.'],
      ['POST', '/form', form, 'text=sent', '<p>sent</p>'],
      ['POST', '/api', json, '{"a":"b"}', '{"a":"b"}'],
    ] as const) {
      const text = await respond(app, {
        method,
        url,
        headers: { host: 'localhost', accept: 'text/html', ...headers },
        body,
      })
      t.match(text, expected, `${way}: ${method} ${url}`)
    }
  }
})

t.test('a response without a method that some pages need is refused with its name', async (t) => {
  const { app, log } = await testSite(t, site, { server, ledger: false })
  const request = requestWith(null, { method: 'GET', url: '/late', headers: { host: 'localhost' }, body: '' })
  const response = Object.assign(new PlainResponse(), { getHeaders: undefined }) as unknown as ServerResponse
  t.match(await route(app, request, response), 'Digest: ')
  t.match(log.errors(), [{ err: { code: 'HYD_RESPONSE_INCOMPLETE', message: /"getHeaders"/ } }])
})
