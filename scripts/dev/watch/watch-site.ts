import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FSWatcher } from '#chokidar'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { ROUTE_TYPES_FILE } from '../../build/discover/route-types.ts'
import { type Change, createChangeBatch } from './change-batch.ts'
import { createVersions } from './file-versions.ts'
import { createFolderWatcher } from './watch-folders.ts'

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
/** Files with environment variables for development, in the site's folder. */
export const ENV_FILE = /^\.env(\.development)?(\.local)?$/

/**
 * Returns whether a change can affect the site. `isInput` recognizes the files that the site consists of; it is null
 * while they are not known. Data and logs of the site must not cause an update, or a site that writes on each request
 * would be updated without end. Files that the dev server itself writes must not cause one either.
 */
export function isRelevant({ kind, path }: Change, isInput: ((path: string) => boolean) | null): boolean {
  if (path === ROUTE_TYPES_FILE) return false
  if (path.startsWith('public/') || SETTINGS.test(path) || ENV_FILE.test(path) || isInput?.(path)) return true
  return source.test(path) && (kind === 'add' || isInput === null)
}

/** Watches a site. The files that exist at the beginning are not reported. */
export async function watchSite(dir: string, { isWanted, onChange }: WatchOptions) {
  const siteDir = resolve(dir)
  const batch = createChangeBatch(onChange)
  const isIgnored = (path: string) => ignored.test(toSitePath(siteDir, path))
  const isPolled = isPolling(process.env)
  const folders = createFolderWatcher(notice)
  const versions = createVersions({ isIgnored, onPlace: (path) => !isPolled && folders.add(path) })

  function notice(path: string) {
    for (const [file, kind] of versions.read(path)) {
      const change = { kind, path: toSitePath(siteDir, file), isUrgent: kind === 'change' && isWholeStylesheet(file) }
      if (isWanted(change)) batch.add(change)
    }
  }

  versions.read(siteDir)
  const polled = isPolled ? await pollFiles(siteDir, isIgnored, notice) : null
  return {
    /** Watches also these files, which are outside the site. */
    include(paths: readonly string[]) {
      for (const path of paths) versions.read(path)
      if (polled) polled.add([...paths])
      else folders.addFiles(paths)
    },
    /** Resolves when every change that was made before this call has been passed on. */
    async settled() {
      // Pending events of the file system are handled first.
      await new Promise(setImmediate)
      await batch.settled()
    },
    async close() {
      batch.close()
      folders.close()
      await polled?.close()
    },
  }
}

/** Returns whether a file is a stylesheet with content: many programs empty a file just before they write it. */
function isWholeStylesheet(path: string): boolean {
  return path.endsWith('.css') && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Returns whether files are checked at intervals. chokidar reads this variable, too. */
function isPolling({ CHOKIDAR_USEPOLLING: value = '' }: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false'].includes(value.toLowerCase())
}

/**
 * Looks for changed files at intervals, for systems that do not report changes. Resolves when all files are known.
 *
 * @param notice Called with a file that was found, that has changed or that is gone.
 */
async function pollFiles(
  folder: string,
  isIgnored: (path: string) => boolean,
  notice: (path: string) => void,
): Promise<Pick<FSWatcher, 'add' | 'close'>> {
  const { watch } = await import('#chokidar')
  const watcher = watch(folder, { atomic: false, ignored: isIgnored })
  for (const event of ['add', 'change', 'unlink'] as const) watcher.on(event, notice)
  await new Promise<void>((ready, fail) => {
    watcher.once('ready', ready)
    watcher.once('error', fail)
  })
  return watcher
}
