import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import type { Options } from '../../src/server/options/options.ts'
import { isAllowedHost, isForeign } from './dev-access.ts'
import { createDevSite, type DevSite, type DevSiteInput } from './dev-site.ts'

const NOSNIFF = { 'x-content-type-options': 'nosniff' }

export interface DevServer extends Pick<DevSite, 'report'> {
  url: string
  close(): Promise<void>
}

/** Builds, serves and watches a site. Throws HYD_OPTION_…, HYD_PORT_IN_USE and HYD_LISTEN_FAILED. */
export async function startDevServer(input: DevSiteInput): Promise<DevServer> {
  const site = await createDevSite(input)
  const { host } = site.options()
  const server = createServer((request, response) => {
    // Browsers send no `Sec-Fetch-Site` to http on another machine; this header refuses foreign pages there.
    response.setHeader('cross-origin-resource-policy', 'same-site')
    const problem = findRefusal(request)
    if (problem === null) site.respond(request, response)
    else refuse(problem, response)
  })
  server.on('upgrade', (request, socket, head) => {
    if (findRefusal(request) === null) site.upgrade(request, socket, head)
    else socket.destroy()
  })

  /** Returns the reason to refuse a request; null when it is allowed. */
  function findRefusal({ headers }: IncomingMessage): string | null {
    if (!isAllowedHost(headers.host, host)) {
      return `The host ${JSON.stringify(headers.host ?? '')} is not served here. Start with --host to allow it.`
    }
    if (!isForeign(headers, site.options().allowedOrigins)) return null
    return 'Only pages of this machine may request this. Add other origins to "allowedOrigins".'
  }

  async function close() {
    const closed = new Promise((resolve) => server.close(resolve))
    // Open pages keep the reload channel open.
    server.closeAllConnections()
    await closed
    await site.close()
  }

  try {
    return { url: await listen(server, site.options()), report: site.report, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function listen(server: Server, { port, host, base }: Options): Promise<string> {
  await new Promise<void>((listening, fail) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EADDRINUSE') fail(createHydrantError('HYD_PORT_IN_USE', [port, host], cause))
      else fail(createHydrantError('HYD_LISTEN_FAILED', [`${host} port ${port}`, cause.message], cause))
    })
    server.listen(port, host, listening)
  })
  // The address of a server that listens on TCP is an `AddressInfo`.
  const address = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}${base}`
}

function refuse(problem: string, response: ServerResponse) {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...NOSNIFF }
  response.writeHead(403, headers).end(`${problem}\n`)
}
