import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHydrantError } from '../../src/server/errors.ts'
import type { Options } from '../../src/server/options.ts'
import { isAllowedHost } from './dev-access.ts'
import { createDevSite, type DevSiteInput } from './dev-site.ts'

export interface DevServer {
  url: string
  close(): Promise<void>
}

/** Builds, serves and watches a site. Throws HYD_OPTION_…, HYD_PORT_IN_USE and HYD_LISTEN_FAILED. */
export async function startDevServer(input: DevSiteInput): Promise<DevServer> {
  const site = await createDevSite(input)
  const { host } = site.options()
  const server = createServer((request, response) => {
    if (isAllowedHost(request.headers.host, host)) site.answer(request, response)
    else refuseHost(request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    if (isAllowedHost(request.headers.host, host)) site.upgrade(request, socket, head)
    else socket.destroy()
  })

  async function close() {
    const closed = new Promise((resolve) => server.close(resolve))
    // Browsers keep the channel open for as long as the page is.
    server.closeAllConnections()
    await closed
    await site.close()
  }

  try {
    return { url: await listen(server, site.options()), close }
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
  // A server that listens on TCP has such an address.
  const address = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}${base}`
}

function refuseHost({ headers }: IncomingMessage, response: ServerResponse) {
  const text = `The host ${JSON.stringify(headers.host ?? '')} is not served here. Start with --host to allow it.\n`
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(text)
}
