import type { AddressInfo, Server } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { ListenAddress } from '../lifecycle/listen.ts'
import { listenAtAll } from '../lifecycle/listen-at-all.ts'
import { stopAccepting } from '../lifecycle/stop-accepting.ts'
import { type ConnectionDistributor, createConnectionDistributor } from './distribute-connections.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Listens in the primary, and hands the connections to the workers. */
export interface SharedListener extends Pick<ConnectionDistributor, 'add' | 'free' | 'lose'> {
  /**
   * Begins to listen when the first worker calls it. Resolves with the address. Rejects with the system's error. Warns
   * when a worker wants another address than the first one.
   */
  listen(wanted: ListenAddress): Promise<AddressInfo | string>
  /**
   * Removes a worker that wants no more connections. While the listener closes, the worker first takes its part of
   * those that wait. Resolves when no more connections are handed to it.
   */
  release(worker: WorkerProcess): Promise<void>
  /**
   * Stops listening, within a second after `start` has resolved. Resolves when all connections have been handed to a
   * worker.
   */
  close(start: Promise<unknown>): Promise<void>
}

export function createSharedListener(
  { port, host, socket }: ListenAddress,
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>,
): SharedListener {
  const { take, add, free, remove, lose, hold, end } = createConnectionDistributor(log)
  let opening: Promise<Server[]> | null = null
  let closed: Promise<void> | null = null

  function open(): Promise<Server[]> {
    const onError = (err: Error) => log.warn({ err }, 'a connection could not be accepted')
    return listenAtAll({ port, host, socket }, { take, onError, isPaused: true })
  }

  async function closeAfter(start: Promise<unknown>) {
    await start
    const servers = await opening?.catch(() => [])
    // A client that waits for its response opens no further connection, so the queue of the system empties.
    hold()
    await Promise.all((servers ?? []).map(stopAccepting))
    await end()
  }

  return {
    add,
    free,
    lose,
    async listen(wanted) {
      opening ??= open()
      if (wanted.port !== port || wanted.host !== host || wanted.socket !== socket)
        log.warn('the configuration sets another port, host or socket now: restart the server to apply it')
      const [address] = (await opening).map((server) => server.address())
      if (!address) throw new Error('the primary no longer listens')
      return address
    },
    async release(worker) {
      await closed
      remove(worker)
    },
    close(start) {
      closed ??= closeAfter(start)
      return closed
    },
  }
}
