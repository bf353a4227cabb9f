// A Fastify without Hydrant, which sends the text of a stored page with its headers, in each encoding.

import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import Fastify from 'fastify'
import { USER_AGENT } from '../http.ts'

interface Ready {
  headers: Record<string, string>
  body: Buffer | string
}

const OF_CONNECTION = ['connection', 'keep-alive', 'date', 'content-length', 'x-request-id']
const { READY_URL = '', PORT } = process.env

const ready = new Map<string, Ready>()
for (const encoding of ['', 'br', 'gzip']) ready.set(encoding, await load(encoding))

const app = Fastify({ logger: false })
app.get('/', ({ headers }, reply) => {
  const answer = ready.get(String(headers['accept-encoding'] ?? ''))
  reply.headers(answer?.headers ?? {}).send(answer?.body)
})
await app.listen({ port: Number(PORT), host: '127.0.0.1' })

async function load(encoding: string): Promise<Ready> {
  const headers = { accept: 'text/html', 'user-agent': USER_AGENT, ...(encoding && { 'accept-encoding': encoding }) }
  // `once` is typed as an array of `any`.
  const [response] = (await once(get(READY_URL, { agent: false, headers }), 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray())
  const kept = Object.entries(response.headers).filter(([name]) => !OF_CONNECTION.includes(name))
  const isText = response.headers['content-encoding'] === undefined
  return {
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    // Node.js writes a text together with the headers, which is faster.
    body: isText ? body.toString() : body,
  }
}
