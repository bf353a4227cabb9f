import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findFreePort } from '../../../src/server/lifecycle/free-port.ts'
import { createListenError, describeOwner } from '../../../src/server/lifecycle/listen.ts'
import { findPortOwner } from '../../../src/server/lifecycle/port-owner.ts'
import type { Options } from '../../../src/server/options/options.ts'

/** The port of a server, and a note when it is not the port of the options. */
export interface ListenResult {
  port: number
  note: string | null
}

/**
 * Listens at the host and port of the options. If the port is taken and may be replaced, listens at the next free one.
 * Throws HYD_PORT_IN_USE and HYD_LISTEN_FAILED.
 */
export async function listenInDev(
  server: Server,
  options: Pick<Options, 'host' | 'port'>,
  mayReplacePort: boolean,
): Promise<ListenResult> {
  const { host, port } = options
  const address = { host, port, socket: null }
  try {
    return { port: await open(server, options), note: null }
  } catch (cause) {
    // Node.js gives the errors of `listen` a code.
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
    const free = isTaken && mayReplacePort ? await findFreePort(port, host) : null
    if (free === null) throw await createListenError(address, cause)
    const owner = describeOwner(await findPortOwner(port))
    try {
      const used = await open(server, { host, port: free })
      return { port: used, note: `port ${port} is in use by ${owner}; this server uses port ${used}` }
    } catch (second) {
      throw await createListenError({ ...address, port: free }, second)
    }
  }
}

async function open(server: Server, { host, port }: Pick<Options, 'host' | 'port'>): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  // The address of a server that listens on TCP is an `AddressInfo`.
  return (server.address() as AddressInfo).port
}
