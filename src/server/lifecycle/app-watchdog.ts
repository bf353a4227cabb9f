import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type AppSite, findAppSites } from '../context/app-sites.ts'
import { startWatchdog } from './watchdog.ts'

/** How long a failure has to reach the ledger, before the process may end. */
const KEEP_MS = 3_000

let isWatched = false

/**
 * Cuts off what holds up the event loop of an app, and tells of it as a failure of the site whose code it is. Then it is thrown
 * as an exception that nothing has caught: the app decides how its process ends. Does nothing when another site has begun.
 */
export function addWatchdog(app: FastifyInstance, hangMs: number) {
  if (hangMs === 0 || isWatched) return
  isWatched = true
  let stop = async () => {}
  app.addHook('onReady', async () => {
    stop = await startWatchdog(hangMs, app.log, (error) => {
      const site = siteOf(error, findAppSites(app))
      site.failures.failProcess(error, app.log)
      // Here the loop stands still.
      setImmediate(() => void end(error, site))
    })
  })
  app.addHook('onClose', async () => {
    isWatched = false
    await stop()
  })
}

function siteOf({ stack = '' }: Error, [first, ...others]: readonly [AppSite, ...AppSite[]]): AppSite {
  return others.find(({ folder }) => stack.includes(folder)) ?? first
}

async function end(error: Error, { store }: AppSite) {
  await Promise.race([store.writer.flush(), wait(KEEP_MS, undefined, { ref: false })])
  // Not as a rejection, which apps handle in another way.
  setImmediate(() => {
    throw error
  })
}
