import { type Agent, get } from 'node:http'

export interface Answer {
  status: number
  body: Buffer
  /** The time from the request to the first byte of the response. */
  firstByteMs: number
}

/** Some servers send pages to programs in a different way than to browsers. */
export const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

const PATIENCE_MS = 30_000

/** Requests a page as a browser does that accepts no compression. Without an agent, opens a connection for it. */
export function ask(url: string, agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/html', 'user-agent': USER_AGENT }
    const begin = performance.now()
    const request = get(url, { agent, headers, timeout: PATIENCE_MS }, (response) => {
      const firstByteMs = performance.now() - begin
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts), firstByteMs }))
    })
    request.once('error', reject)
    request.once('timeout', () => request.destroy(new Error(`no response from ${url} in ${PATIENCE_MS / 1_000} s`)))
  })
}

/** Requests a page. Throws unless its status is 200. */
export async function askPage(url: string, agent: Agent | false = false): Promise<Answer> {
  const answer = await ask(url, agent)
  if (answer.status === 200) return answer
  throw new Error(`${url} was answered with ${answer.status}: ${answer.body.toString().slice(0, 200)}`)
}
