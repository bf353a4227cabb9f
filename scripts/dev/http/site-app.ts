import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { LiveBuild } from '../../../src/server/build-output/load-build.ts'
import { createInstance } from '../../../src/server/create-server.ts'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import type { Options } from '../../../src/server/options/options.ts'
import type { DevChange, DevEngine } from '../engine/dev-engine.ts'
import { createDevFailureStores, describeStart } from '../errors/dev-failures.ts'

export interface SiteAppInput {
  dir: string
  engine: DevEngine
  /** Returns the current options. */
  options(): Options
  /** See `LiveBuild`. */
  brokenPage: LiveBuild['brokenPage']
  createLogging(options: Options): Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>
  /** Called with each failure of a request or a browser. */
  onFailure(failure: FailureRecord): void
  /** Called when a replaced instance does not close. */
  onCloseError(error: unknown): void
}

export function createSiteApp({ dir, engine, options: current, ...input }: SiteAppInput) {
  const slot = createAppSlot(input.onCloseError)
  const stores = createDevFailureStores(dir, input.onFailure)
  return {
    slot,
    /** Serves the state of a change. Returns why the site does not start. */
    async serve({ state: { live, manifest }, isNewServer }: DevChange) {
      if (!isNewServer) return null
      const options = current()
      try {
        const { app } = await createInstance({
          dir,
          folder: engine.folder,
          manifest,
          live: { ...live, brokenPage: input.brokenPage },
          // The development server checks the hosts itself: it also responds under localhost and IP addresses.
          options: { ...options, hosts: [] },
          logging: input.createLogging(options),
          getStore: (log) => stores.find(options, log),
        })
        slot.put(app)
        return null
      } catch (error) {
        slot.put(null)
        engine.restart()
        return describeStart(error, engine.mapper, manifest.serverPlugin)
      }
    },
    async close() {
      await slot.close()
      await stores.close()
    },
  }
}

/** Holds the app of the last good build. Earlier apps complete their requests before they are closed. */
export type AppSlot = ReturnType<typeof createAppSlot>

interface SlotEntry {
  app: FastifyInstance
  requests: number
  isRetired: boolean
}

function createAppSlot(onCloseError: (error: unknown) => void) {
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
    serve(request: IncomingMessage, response: ServerResponse) {
      const entry = current
      if (!entry) return
      entry.requests++
      response.on('close', () => {
        entry.requests--
        closeIfIdle(entry)
      })
      entry.app.routing(request, response)
    },
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      // Plugins for WebSockets use the app's server, which does not listen here: pass the event on.
      if (!current?.app.server.emit('upgrade', request, socket, head)) socket.destroy()
    },
    isFilled: () => current !== null,
    /** Resolves with the status of the app's response to a request, or null without an app. */
    async statusOf({ url = '', headers }: IncomingMessage): Promise<number | null> {
      const answer = await current?.app.inject({ url, headers })
      return answer?.statusCode ?? null
    },
    /** Replaces the app; null empties the slot. */
    put,
    /** Empties the slot and resolves when all apps are closed. */
    async close() {
      put(null)
      await Promise.all(closing)
    },
  }
}
