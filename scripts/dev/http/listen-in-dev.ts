import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findFreePort } from '../../../src/server/lifecycle/free-port.ts'
import { createListenError, describeOwner } from '../../../src/server/lifecycle/listen.ts'
import { findPortOwner, type PortOwner } from '../../../src/server/lifecycle/port-owner.ts'
import type { Options } from '../../../src/server/options/options.ts'
import { isDevProcess } from '../engine/dev-folder.ts'

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
