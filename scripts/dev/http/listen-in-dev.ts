import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import {
  createListenError,
  describeOwner,
  findFreePort,
  findPortOwner,
  type PortOwner,
} from '../../../src/server/lifecycle/listen.ts'
import type { Options } from '../../../src/server/options/options.ts'
import { isDevProcess } from '../engine/dev-manifest.ts'

export interface DevAddress extends Pick<Options, 'host' | 'port'> {
  /** The site's folder. */
  dir: string
  /** Whether another port will do. */
  mayReplacePort: boolean
}

/** The port of a server, and a note when it is not the port of the options. */
export interface ListenResult {
  port: number
  note: string | null
}

/**
 * Listens at a host and port. If the port is taken and may be replaced, listens at the next free one. Throws
 * HYD_PORT_IN_USE and HYD_LISTEN_FAILED.
 */
export async function listenInDev(
  server: Server,
  { dir, host, port, mayReplacePort }: DevAddress,
): Promise<ListenResult> {
  const address = { host, port, socket: null }
  try {
    return { port: await open(server, address), note: null }
  } catch (cause) {
    // Node.js gives the errors of `listen` a code.
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
    const free = isTaken && mayReplacePort ? await findFreePort(port, host) : null
    if (free === null) throw await createListenError(address, cause)
    const owner = describe(await findPortOwner(port), dir)
    try {
      const used = await open(server, { host, port: free })
      return { port: used, note: `port ${port} is in use by ${owner}; this server uses port ${used}` }
    } catch (second) {
      throw await createListenError({ ...address, port: free }, second)
    }
  }
}

function describe(owner: PortOwner | null, dir: string): string {
  if (!owner || !isDevProcess(dir, owner.pid)) return describeOwner(owner)
  return `another "hydrant dev" of this site (process ${owner.pid})`
}

async function open(server: Server, { host, port }: Pick<Options, 'host' | 'port'>): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  // The address of a server that listens on TCP is an `AddressInfo`.
  return (server.address() as AddressInfo).port
}

/** The URLs at which a server can be reached. */
export interface ServerUrls {
  /** The URL on this machine, or at the address on which the server listens. */
  local: string
  /** The URLs for other machines, when the server listens on all addresses; otherwise empty. */
  network: string[]
}

/** Lists the URLs of a server that listens on a host and a port. */
export function listServerUrls(
  { host, port, base }: { host: string; port: number; base: string },
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): ServerUrls {
  const urlOf = (name: string) => `http://${name.includes(':') ? `[${name}]` : name}:${port}${base}`
  if (host !== '0.0.0.0' && host !== '::') return { local: urlOf(host), network: [] }
  const addresses = Object.values(interfaces).flatMap((list = []) => list)
  const network = addresses
    // A link-local address of IPv6 needs the name of an interface, which a URL cannot contain.
    .filter(
      ({ internal, family, address }) =>
        !internal && (family === 'IPv4' || (host === '::' && !/^fe[89ab]/.test(address))),
    )
    .map(({ address }) => urlOf(address))
  return { local: urlOf('localhost'), network }
}
