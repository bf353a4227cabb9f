import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type AppSite, findAppSites } from '../context/app-sites.ts'
import { startWatchdog } from './watchdog.ts'

/** Milliseconds that a failure has to reach the ledger, before the process may end. */
const KEEP_MS = 3_000

/** The apps of this process that are watched, with their deadlines in milliseconds. One watchdog serves all of them. */
const watched = new Map<FastifyInstance, number>()
let watchedMs: number | undefined
let stopWatchdog = async () => {}
let changing: Promise<void> = Promise.resolve()

/**
 * Watches the event loop while an app runs: interrupts code that blocks it for `hangMs` milliseconds (0: never), and
 * reports a failure of the site whose code it is. Then throws the error as an uncaught exception, so that the app
 * decides how its process ends. When several sites of a process are watched, the deadline of the first one counts.
 */
export function addWatchdog(app: FastifyInstance, hangMs: number) {
  if (hangMs === 0) return
  app.addHook('onReady', () => {
    watched.set(app, hangMs)
    return updateWatchdog()
  })
  app.addHook('onClose', () => {
    watched.delete(app)
    return updateWatchdog()
  })
}

function updateWatchdog(): Promise<void> {
  changing = changing.catch(() => {}).then(restartWatchdog)
  return changing
}

async function restartWatchdog() {
  const [first] = watched
  if (first?.[1] === watchedMs) return
  await stopWatchdog()
  stopWatchdog = first ? await startWatchdog(first[1], first[0].log, reportHang) : async () => {}
  watchedMs = first?.[1]
}

function reportHang(error: Error) {
  const found = findSite(error)
  if (!found) return
  found.site.failures.failProcess(error, found.app.log)
  // The event loop does not run here.
  setImmediate(() => void throwUncaught(error, found.site))
}

/** Finds the site whose build is in the stack. Code that belongs to no site counts for the first one. */
function findSite({ stack = '' }: Error): { app: FastifyInstance; site: AppSite } | undefined {
  const all = [...watched.keys()].flatMap((app) => findAppSites(app).map((site) => ({ app, site })))
  return all.find(({ site }) => stack.includes(site.folder)) ?? all[0]
}

async function throwUncaught(error: Error, { store }: AppSite) {
  await Promise.race([store.writer.flush(), wait(KEEP_MS, undefined, { ref: false })])
  // The error is thrown in a callback, because apps handle an unhandled rejection differently.
  setImmediate(() => {
    throw error
  })
}
