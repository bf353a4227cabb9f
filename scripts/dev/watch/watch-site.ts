import { statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { watch } from '#chokidar'
import { toSitePath } from '../../../src/server/util/to-site-path.ts'
import { ROUTE_TYPES_FILE } from '../../build/discover/route-types.ts'
import { type Change, createChangeBatch } from './change-batch.ts'
import { createVersions } from './file-versions.ts'

export interface SiteWatcher {
  /** Watches also these files, which are outside the site. */
  include(paths: readonly string[]): void
  /** Resolves when every change that was made before this call has been passed on. */
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

/**
 * Watches a site. The events of the file system are handled when they come: chokidar examines a file before it reports a
 * change, and leaves out the second of two changes within 50 ms. It reports what its first look at a new folder finds.
 */
export async function watchSite(dir: string, { isWanted, onChange }: WatchOptions): Promise<SiteWatcher> {
  const siteDir = resolve(dir)
  const batch = createChangeBatch(onChange)
  const versions = createVersions((path) => ignored.test(toSitePath(siteDir, path)))
  const watcher = watch(siteDir, { atomic: false, ignored: versions.isIgnored })

  function notice(path: string) {
    for (const [file, kind] of versions.read(path)) {
      const change = { kind, path: toSitePath(siteDir, file), isUrgent: kind === 'change' && isWholeStylesheet(file) }
      if (isWanted(change)) batch.add(change)
    }
  }

  watcher.on('add', versions.read)
  await new Promise<void>((ready, fail) => {
    watcher.once('ready', ready)
    watcher.once('error', fail)
  })
  watcher.off('add', versions.read)
  watcher.on('raw', (_event, name, details: unknown) => {
    const path = pathOfEvent(name, details)
    if (path !== null) notice(path)
  })
  for (const event of ['add', 'change', 'unlink'] as const) watcher.on(event, notice)
  return {
    include(paths) {
      for (const path of paths) versions.read(path)
      watcher.add([...paths])
    },
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

/** Returns the absolute path of an event of the file system: chokidar watches folders, and files outside the site. */
function pathOfEvent(name: string | null, details: unknown): string | null {
  const watched = typeof details === 'object' && details !== null ? Reflect.get(details, 'watchedPath') : null
  if (typeof watched !== 'string' || !name) return null
  return basename(watched) === name ? watched : join(watched, name)
}
