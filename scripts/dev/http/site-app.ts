import type { FastifyServerOptions } from 'fastify'
import type { LiveBuild } from '../../../src/server/build-output/live-build.ts'
import { createInstance } from '../../../src/server/create-server.ts'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import type { Options } from '../../../src/server/options/options.ts'
import type { DevChange, DevEngine } from '../engine/dev-engine.ts'
import { createDevFailureStores } from '../errors/dev-failure-stores.ts'
import { type DevFailure, describeStart } from '../errors/dev-failures.ts'
import { type AppSlot, createAppSlot } from './app-slot.ts'

/** The Fastify instance of a site in development. It is replaced only if a change needs a new one. */
export interface SiteApp {
  slot: AppSlot
  /** Serves the state of a change. Returns why the site does not start. */
  serve(change: DevChange): Promise<DevFailure | null>
  close(): Promise<void>
}

export interface SiteAppInput {
  /** The site's folder. */
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

export function createSiteApp({ dir, engine, options: current, ...input }: SiteAppInput): SiteApp {
  const slot = createAppSlot(input.onCloseError)
  const stores = createDevFailureStores(dir, input.onFailure)
  return {
    slot,
    async serve({ state: { live, manifest }, isNewServer }) {
      if (!isNewServer) return null
      const options = current()
      try {
        const { app } = await createInstance({
          dir,
          folder: engine.folder,
          manifest,
          live: { ...live, brokenPage: input.brokenPage },
          // The development server checks the hosts itself: it also responds under the names of this machine.
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
