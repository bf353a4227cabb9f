import { existsSync, type FSWatcher as NodeWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { FSWatcher } from '#chokidar'
import { ROUTE_TYPES_FILE } from '../../../src/server/build-output/manifest.ts'
import { isInside, toSitePath } from '../../../src/server/util/paths.ts'
import { foldersFrom } from '../../build/esbuild/resolve-file.ts'
import { type Change, createChangeBatch } from './change-batch.ts'
import { createVersions, resolveLinks } from './file-versions.ts'

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

/** Recognizes a file of the site; with `viaFolders`, also a file in a folder that a plugin reads. */
type IsInput = (path: string, viaFolders: boolean) => boolean

/**
 * Returns whether a change can affect the site. Data and logs of the site must not cause an update, or a site that writes
 * on each request would be updated without end. Files that the dev server itself writes must not cause one either.
 *
 * @param isInput Recognizes the files that the site consists of, as far as they are known.
 * @param isBroken Whether the site cannot be served. A source file that is not known may then be one of its files.
 */
export function isRelevant({ kind, path }: Change, isInput: IsInput, isBroken: boolean): boolean {
  if (path === ROUTE_TYPES_FILE) return false
  if (path.startsWith('public/') || SETTINGS.test(path) || ENV_FILE.test(path)) return true
  const isSource = source.test(path)
  if (isSource && (kind === 'add' || isBroken)) return true
  // A log is written without end, also one in a folder that Tailwind reads. A broken site starts again after each change,
  // and its start may add files, as that of a database does.
  return isInput(path, isSource || (kind !== 'change' && !isBroken))
}

/** Watches a site. The files that exist at the beginning are not reported. */
export async function watchSite(dir: string, { isWanted, onChange }: WatchOptions) {
  const siteDir = resolve(dir)
  const batch = createChangeBatch(onChange)
  const isIgnored = (path: string) => ignored.test(toSitePath(siteDir, path))
  const isPolled = isPolling(process.env)
  const folders = createFolderWatcher(siteDir, notice)
  const versions = createVersions({ isIgnored, onPlace: (path) => !isPolled && folders.add(path) })

  function notice(path: string) {
    for (const [file, kind] of versions.read(path)) {
      const isEmpty = statSync(file, { throwIfNoEntry: false })?.size === 0
      const isUrgent = kind === 'change' && !isEmpty && file.endsWith('.css')
      const change = { kind, path: toSitePath(siteDir, file), isUrgent, isEmpty }
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

/** Returns whether files are checked at intervals. chokidar reads this variable, too. */
function isPolling({ CHOKIDAR_USEPOLLING: value = '' }: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false'].includes(value.toLowerCase())
}

/** Looks for changed files at intervals, as some systems report none. Resolves when all files are known. */
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

/** The errors of folders that are gone or may not be read. */
const UNREADABLE: unknown[] = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']

/**
 * Windows renames no folder while one below it is open, as one that is watched is
 * (https://github.com/paulmillr/chokidar/issues/1380). The watcher of the site's folder there is one for its subfolders.
 */
const IS_RECURSIVE = process.platform === 'win32'
/** The watcher of a folder that another watcher is for. */
const COVERED: Pick<NodeWatcher, 'close'> = { close() {} }

/** Calls `notice` with a path that has changed. A folder that has appeared is not watched yet. */
function createFolderWatcher(siteDir: string, notice: (path: string) => void) {
  const watchers = new Map<string, Pick<NodeWatcher, 'close'>>()
  /** The single files of each folder that is not watched as a whole. A folder above a missing one has none. */
  const files = new Map<string, Set<string>>()

  /** Stops watching a folder and its subfolders. */
  function remove(path: string) {
    if (!watchers.has(path)) return
    for (const [watched, watcher] of watchers) {
      if (watched !== path && !isInside(path, watched)) continue
      watcher.close()
      watchers.delete(watched)
    }
  }

  function handle(watched: string, event: string, name: string | null) {
    // An event of the watched folder itself has its own name.
    const path = name === null || name === basename(watched) ? watched : join(watched, name)
    if (event === 'rename') remove(path)
    // Its own watcher reports what has changed in a folder.
    else if (path !== watched && watchers.has(path)) return
    const single = files.get(watched)
    if (!single || single.has(path) || (event === 'rename' && single.size > 0 && isFile(path))) notice(path)
    if (event === 'rename') addMissing()
  }

  /** Watches the folders of single files that are not watched, and reports these files: they may have changed. */
  function addMissing() {
    for (const [folder, single] of files) {
      if (single.size === 0 || watchers.has(folder)) continue
      addNearest(folder)
      for (const file of single) notice(file)
    }
  }

  /** Watches a folder, or the nearest folder above it while it does not exist. */
  function addNearest(folder: string) {
    const nearest = findExisting(folder)
    if (!watchers.has(nearest)) files.set(nearest, files.get(nearest) ?? new Set())
    add(nearest)
    // A folder below may have appeared before this one was watched.
    if (findExisting(folder) !== nearest) addNearest(folder)
  }

  /** Returns whether the watcher of the site's folder reports the changes in a folder. A link leads elsewhere. */
  const isCovered = (path: string) =>
    IS_RECURSIVE && watchers.has(siteDir) && isInside(siteDir, path) && resolveLinks(path) === path

  function add(path: string) {
    if (watchers.has(path)) return
    if (isCovered(path)) {
      watchers.set(path, COVERED)
      return
    }
    try {
      const recursive = IS_RECURSIVE && path === siteDir
      const watcher = watch(path, { recursive }, (event, name) => handle(path, event, name))
      // Windows reports a folder that was removed as an error.
      watcher.on('error', () => handle(path, 'rename', null))
      watchers.set(path, watcher)
    } catch (error) {
      // Node.js throws errors with a code.
      if (!UNREADABLE.includes((error as NodeJS.ErrnoException).code)) throw error
    }
  }

  return {
    /** Watches a folder without its subfolders, or the target of a symbolic link. Ignores a path that does not exist. */
    add,
    /** Watches single files, also when they or their folders are replaced. Reports new files beside them. */
    addFiles(paths: readonly string[]) {
      for (const path of paths) {
        const folder = dirname(path)
        const single = files.get(folder) ?? new Set()
        files.set(folder, single.add(path))
        if (!watchers.has(folder)) addNearest(folder)
      }
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** Returns the nearest folder that exists: the given one or one above it. */
function findExisting(folder: string): string {
  return foldersFrom(folder).find(existsSync) ?? folder
}
