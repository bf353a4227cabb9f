import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Test } from 'tap'

export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The parts of the body as they arrived. */
  chunks: string[]
  body: string
}

export interface HttpRequest {
  port: number
  path: string
  method?: string
  headers?: Record<string, string>
  /** Called with each part of the body as it arrives. */
  onChunk?(text: string): void
}

export interface HttpClient {
  send(request: HttpRequest): Promise<HttpAnswer>
}

/**
 * Creates a client that adds nothing to the requests. It keeps its connections, or uses each once, and closes them
 * with the test.
 */
export function createHttpClient(
  t: Pick<Test, 'teardown'>,
  { keepAlive = true, maxSockets = 8 }: { keepAlive?: boolean; maxSockets?: number } = {},
): HttpClient {
  const agent = new Agent({ keepAlive, maxSockets })
  t.teardown(() => agent.destroy())

  function send({ port, path, method = 'GET', headers = {}, onChunk }: HttpRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent }, (incoming) => {
        const chunks: string[] = []
        incoming.setEncoding('utf8')
        incoming.on('data', (text: string) => {
          chunks.push(text)
          onChunk?.(text)
        })
        incoming.on('error', reject)
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, chunks, body: chunks.join('') })
        })
      })
      outgoing.on('error', reject)
      outgoing.end()
    })
  }

  return { send }
}

/** Runs `work` for each item, at most `limit` at once. The results are in the items' order. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, worker: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const workers = Array.from({ length: limit }, async (_, worker) => {
    for (const [index, item] of queue) results[index] = await work(item, worker)
  })
  await Promise.all(workers)
  return results
}
