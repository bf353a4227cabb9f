import type { AddressInfo, Server } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { listenAtAll } from '../lifecycle/listen-at-all.ts'
import { stopAccepting } from '../lifecycle/stop-accepting.ts'
import { type ConnectionDistributor, createConnectionDistributor } from './distribute-connections.ts'
import type { Where } from './messages.ts'

/** Takes the connections of all workers. */
export interface SharedListener extends Pick<ConnectionDistributor, 'add' | 'free' | 'remove'> {
  /** Where it listens. It begins to with the first worker that asks, who is to serve there. Rejects with what the system says. */
  listen(wanted: Where): Promise<AddressInfo | string>
  /** Stops listening within a second. Resolves when all connections that have come are with a worker. */
  close(): Promise<void>
}

export function createSharedListener(
  { port, host, socket }: Where,
  log: Pick<FastifyBaseLogger, 'warn'>,
): SharedListener {
  const { take, add, free, remove, hold, end } = createConnectionDistributor()
  let opening: Promise<Server[]> | null = null
  let closed: Promise<void> | null = null

  function open(): Promise<Server[]> {
    const onError = (err: Error) => log.warn({ err }, 'a connection could not be accepted')
    return listenAtAll({ port, host, socket }, { take, onError, isPaused: true })
  }

  async function close() {
    const servers = await opening?.catch(() => [])
    // Visitors who wait do not connect again.
    hold()
    await Promise.all((servers ?? []).map(stopAccepting))
    await end()
  }

  return {
    ...{ add, free, remove },
    async listen(wanted) {
      opening ??= open()
      if (wanted.port !== port || wanted.host !== host || wanted.socket !== socket)
        log.warn('the options on disk name another port, host or socket: restart to apply it')
      const [address] = (await opening).map((server) => server.address())
      if (!address) throw new Error('the primary no longer listens')
      return address
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}
