import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Holds the app of the last good build and lets the ones before it finish what they began. */
export interface AppSlot {
  serve(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  isFilled(): boolean
  /** Takes the place of what was there; null leaves it empty. */
  put(app: FastifyInstance | null): void
  /** When all apps are closed. */
  close(): Promise<void>
}

interface Held {
  app: FastifyInstance
  requests: number
  isRetired: boolean
}

export function createAppSlot(onCloseError: (error: unknown) => void): AppSlot {
  const closing = new Set<Promise<void>>()
  let current: Held | null = null

  function closeIfDone(held: Held) {
    if (!held.isRetired || held.requests > 0) return
    // `requests` does not come back to 0 once it is there: a retired app gets no more.
    const closed: Promise<void> = held.app.close().then(undefined, onCloseError)
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  }

  function put(app: FastifyInstance | null) {
    const last = current
    current = app && { app, requests: 0, isRetired: false }
    if (!last) return
    last.isRetired = true
    closeIfDone(last)
  }

  return {
    serve(request, response) {
      const held = current
      if (!held) return
      held.requests++
      response.on('close', () => {
        held.requests--
        closeIfDone(held)
      })
      held.app.routing(request, response)
    },
    upgrade(request, socket, head) {
      // Plugins for WebSockets listen to the app's own server, which listens to no port here.
      if (!current?.app.server.emit('upgrade', request, socket, head)) socket.destroy()
    },
    isFilled: () => current !== null,
    put,
    async close() {
      put(null)
      await Promise.all(closing)
    },
  }
}
