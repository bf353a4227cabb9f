import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

interface Ready {
  headers: Record<string, string>
  body: Buffer | string
}

/** Headers that Fastify or Node.js sets itself. */
const OWN = ['connection', 'keep-alive', 'date', 'content-length', 'x-request-id']
const SHORT = ['content-type', 'content-encoding']

/** Adds routes that send the text of the stored page, compressed as the client wants it: with its headers, and without. */
export default async function server(app: FastifyInstance) {
  const load = createLoader(app)
  app.get(
    '/route',
    createHandler(load, (name) => !OWN.includes(name)),
  )
  app.get(
    '/short-route',
    createHandler(load, (name) => SHORT.includes(name)),
  )
}

type Load = (request: FastifyRequest) => Promise<Ready>

function createHandler(load: Load, isKept: (name: string) => boolean) {
  const ready = new Map<string, Ready>()

  async function prepare(encoding: string, request: FastifyRequest, reply: FastifyReply) {
    const { headers, body } = await load(request)
    ready.set(encoding, { body, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name))) })
    send(request, reply)
  }

  function send(request: FastifyRequest, reply: FastifyReply) {
    const encoding = String(request.headers['accept-encoding'] ?? '')
    const answer = ready.get(encoding)
    if (answer) reply.headers(answer.headers).send(answer.body)
    else prepare(encoding, request, reply).catch((error) => reply.send(error))
  }

  return send
}

const createLoader =
  (app: FastifyInstance): Load =>
  async (request) => {
    // A browser's request: the address of the page is in the document.
    const { headers, rawPayload } = await app.inject({ url: '/stored', headers: request.headers })
    const isText = headers['content-encoding'] === undefined
    return {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      // Node.js writes a text together with the headers, which is faster.
      body: isText ? rawPayload.toString() : rawPayload,
    }
  }
