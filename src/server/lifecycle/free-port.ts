import { once } from 'node:events'
import { createServer } from 'node:net'

const MAX_TRIES = 100
const LAST_PORT = 65_535

/** Returns the first port above `port` that is free at this moment on the host; null when there is none near. */
export async function findFreePort(port: number, host: string): Promise<number | null> {
  for (let next = port + 1; next <= Math.min(port + MAX_TRIES, LAST_PORT); next++) {
    if (await isFree(next, host)) return next
  }
  return null
}

async function isFree(port: number, host: string): Promise<boolean> {
  // In a worker of a cluster, the primary would listen in its place.
  const server = createServer().listen({ port, host, exclusive: true })
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
