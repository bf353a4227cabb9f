import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Holds the app of the last good build. Earlier apps complete their requests before they are closed. */
export interface AppSlot {
  serve(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  isFilled(): boolean
  /** Resolves with the status of the app's response to a request, or null without an app. */
  statusOf(request: IncomingMessage): Promise<number | null>
  /** Replaces the app; null empties the slot. */
  put(app: FastifyInstance | null): void
  /** Empties the slot and resolves when all apps are closed. */
  close(): Promise<void>
}

interface SlotEntry {
  app: FastifyInstance
  requests: number
  isRetired: boolean
}

export function createAppSlot(onCloseError: (error: unknown) => void): AppSlot {
  const closing = new Set<Promise<void>>()
  let current: SlotEntry | null = null

  function closeIfIdle(entry: SlotEntry) {
    if (!entry.isRetired || entry.requests > 0) return
    // Closes once only: a retired app gets no new requests, so `requests` reaches 0 once.
    const closed: Promise<void> = entry.app.close().then(undefined, onCloseError)
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  }

  function put(app: FastifyInstance | null) {
    const last = current
    current = app && { app, requests: 0, isRetired: false }
    if (!last) return
    last.isRetired = true
    closeIfIdle(last)
  }

  return {
    serve(request, response) {
      const entry = current
      if (!entry) return
      entry.requests++
      response.on('close', () => {
        entry.requests--
        closeIfIdle(entry)
      })
      entry.app.routing(request, response)
    },
    upgrade(request, socket, head) {
      // Plugins for WebSockets use the app's server, which does not listen here: pass the event on.
      if (!current?.app.server.emit('upgrade', request, socket, head)) socket.destroy()
    },
    isFilled: () => current !== null,
    async statusOf({ url = '', headers }) {
      const answer = await current?.app.inject({ url, headers })
      return answer?.statusCode ?? null
    },
    put,
    async close() {
      put(null)
      await Promise.all(closing)
    },
  }
}
