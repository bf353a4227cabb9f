import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { watch } from '#chokidar'
import { toSitePath } from '../../src/server/util/to-site-path.ts'
import { ROUTE_TYPES_FILE } from '../build/discover/route-types.ts'
import { type Change, type ChangeKind, createChangeBatch } from './change-batch.ts'

export interface SiteWatcher {
  /** Watches also these files, which are outside the site. */
  include(paths: readonly string[]): void
  /**
   * Resolves when every change that was made before this call has been passed on. A save reaches this process as an
   * event of the file system, and the file is examined before the event is passed on.
   */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface WatchOptions {
  isWanted(change: Change): boolean
  /** Called with the changes that were made together. */
  onChange(changes: Change[]): void
}

const ignored = /(^|\/)(node_modules|\.git|\.hydrant[^/]*|hydrant-errors\.db[^/]*)(\/|$)/
const source =
  /\.([cm]?[jt]sx?|json|css|[a-z]*html?|mdx?|s[ac]ss|less|svg|png|jpe?g|gif|webp|avif|ico|woff2?|[ot]tf|eot)$/i

/** Files that can change how every module is compiled. */
export const SETTINGS = /(^|\/)(tsconfig[\w.-]*|package)\.json$/
/** Files with environment variables, in the site's folder. */
export const ENV_FILE = /^\.env(\.local)?$/

/**
 * Returns whether a change can affect the site. `isInput` recognises the files that the site consists of; it is null
 * while they are not known. Data and logs of the site must not cause an update, or a site that writes on each request
 * would be updated without end. Files that the dev server itself writes must not cause one either.
 */
export function isRelevant({ kind, path }: Change, isInput: ((path: string) => boolean) | null): boolean {
  if (path === ROUTE_TYPES_FILE) return false
  if (path.startsWith('public/') || SETTINGS.test(path) || ENV_FILE.test(path) || isInput?.(path)) return true
  return source.test(path) && (kind === 'add' || isInput === null)
}

export async function watchSite(dir: string, { isWanted, onChange }: WatchOptions): Promise<SiteWatcher> {
  const siteDir = resolve(dir)
  const batch = createChangeBatch(onChange)
  const isNewVersion = createVersions()
  const isIgnored = (path: string) => ignored.test(toSitePath(siteDir, path))
  const watcher = watch(siteDir, { ignoreInitial: true, atomic: false, ignored: isIgnored })

  function report(kind: ChangeKind, path: string) {
    const change = { kind, path: toSitePath(siteDir, path) }
    const isNews = isNewVersion(path) || kind !== 'change'
    if (isNews && isWanted(change)) batch.add(change)
    batch.meet(path)
  }

  // chokidar examines a file before it reports a change, and leaves out the second of two changes within 50 ms.
  function receive(path: string) {
    const change: Change = { kind: 'change', path: toSitePath(siteDir, path) }
    const isThere = existsSync(path)
    if (isThere && isWanted(change)) {
      if (isNewVersion(path)) batch.add({ ...change, isUrgent: isWholeStylesheet(path) })
    } else if (isWanted({ ...change, kind: isThere ? 'add' : 'unlink' })) batch.expect(path)
  }

  watcher.on('raw', (_event, name, details: unknown) => {
    const path = pathOfEvent(name, details)
    if (path !== null && !isIgnored(path)) receive(path)
  })
  watcher.on('add', (path) => report('add', path))
  watcher.on('change', (path) => report('change', path))
  watcher.on('unlink', (path) => report('unlink', path))
  await new Promise<void>((ready, fail) => {
    watcher.once('ready', ready)
    watcher.once('error', fail)
  })
  return {
    include: (paths) => void watcher.add([...paths]),
    async settled() {
      // The events of the file system that have come are handled first.
      await new Promise(setImmediate)
      await batch.settled()
    },
    async close() {
      batch.close()
      await watcher.close()
    },
  }
}

/** Returns whether a file is a stylesheet with content: many programs empty a file just before they write it. */
function isWholeStylesheet(path: string): boolean {
  return path.endsWith('.css') && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Returns the function that tells whether a file differs from the version that was seen last. */
function createVersions(): (path: string) => boolean {
  const seen = new Map<string, string>()
  return (path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    const version = stats && `${stats.mtimeMs} ${stats.size} ${stats.ino}`
    const isNew = version !== seen.get(path)
    if (version === undefined) seen.delete(path)
    else seen.set(path, version)
    return isNew
  }
}

/** Returns the absolute path of an event of the file system: chokidar watches folders, and files outside the site. */
function pathOfEvent(name: string | null, details: unknown): string | null {
  const watched = typeof details === 'object' && details !== null ? Reflect.get(details, 'watchedPath') : null
  if (typeof watched !== 'string' || !name) return null
  return basename(watched) === name ? watched : join(watched, name)
}
