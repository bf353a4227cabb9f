import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createHttpOptions, limitServer } from '../../src/server/guards/connection-limits.ts'
import { hasSeveralHosts } from '../../src/server/http/request-url.ts'
import { nameSources } from '../../src/server/options/resolve-options.ts'
import { createDevSite, type DevSite, type DevSiteInput } from './dev-site.ts'
import { explainHost, isAllowedHost, isForeign } from './http/dev-access.ts'
import { listenInDev } from './http/listen-in-dev.ts'
import { listServerUrls, type ServerUrls } from './http/server-urls.ts'

const NOSNIFF = { 'x-content-type-options': 'nosniff' }

interface Refusal {
  status: number
  problem: string
}

export interface DevServer extends Pick<DevSite, 'findSource' | 'report'> {
  urls: ServerUrls
  /** Why the port differs from the default; null if it does not. */
  portNote: string | null
  close(): Promise<void>
}

/**
 * Builds, serves and watches a site. If the default port is taken, uses the next free one. Throws HYD_OPTION_…,
 * HYD_PORT_IN_USE and HYD_LISTEN_FAILED.
 */
export async function startDevServer(input: DevSiteInput): Promise<DevServer> {
  const site = await createDevSite(input)
  const { host, port, base } = site.options()
  const upgraded = new Set<Duplex>()
  const server = createServer(createHttpOptions(site.options()).http, (request, response) => {
    // Browsers send no `Sec-Fetch-Site` to http on another machine; this header refuses foreign pages there.
    response.setHeader('cross-origin-resource-policy', 'same-site')
    const refusal = findRefusal(request)
    if (refusal !== null) return refuse(refusal, response)
    void site.respond(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end()
      throw error
    })
  })
  limitServer(server, site.options, input.onNote)
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket)
    socket.on('close', () => upgraded.delete(socket))
    if (findRefusal(request) === null) site.upgrade(request, socket, head)
    else socket.destroy()
  })

  /** Returns the reason to refuse a request; null when it is allowed. */
  function findRefusal(request: IncomingMessage): Refusal | null {
    const { headers } = request
    const { hosts, allowedOrigins } = site.options()
    if (hasSeveralHosts(request)) return { status: 400, problem: 'The request has several Host headers.' }
    if (!isAllowedHost(headers.host, host, hosts)) return { status: 403, problem: explainHost(headers.host) }
    if (!isForeign(headers, allowedOrigins)) return null
    const problem = 'Only pages of this machine may request this. Add other origins to "allowedOrigins".'
    return { status: 403, problem }
  }

  async function close() {
    const closed = new Promise((resolve) => server.close(resolve))
    // Open pages keep the update channel open. The server does not know the connections of WebSockets.
    server.closeAllConnections()
    for (const socket of upgraded) socket.destroy()
    await closed
    await site.close()
  }

  try {
    const listening = await listenInDev(server, { dir: input.dir, host, port, mayReplacePort: site.isDefaultPort() })
    const urls = listServerUrls({ host, port: listening.port, base })
    return { urls, portNote: listening.note, findSource: site.findSource, report: site.report, close }
  } catch (error) {
    await close()
    throw nameSources(error, site.sources())
  }
}

function refuse({ status, problem }: Refusal, response: ServerResponse) {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...NOSNIFF }
  response.writeHead(status, headers).end(`${problem}\n`)
}
