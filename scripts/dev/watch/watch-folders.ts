import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { foldersFrom } from '../../build/esbuild/resolve-file.ts'

/** The errors of folders that are gone or may not be read. */
const UNREADABLE: unknown[] = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']

/**
 * @param notice Called with a path that has changed, appeared or disappeared. If it is a folder that has appeared, it
 *   is not watched yet.
 */
export function createFolderWatcher(notice: (path: string) => void) {
  const watchers = new Map<string, FSWatcher>()
  /** The single files of each folder that is not watched as a whole. A folder above a missing one has none. */
  const files = new Map<string, Set<string>>()

  /** Stops watching a folder and its subfolders. */
  function remove(path: string) {
    if (!watchers.has(path)) return
    for (const [watched, watcher] of watchers) {
      if (watched !== path && !watched.startsWith(path + sep)) continue
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

  function add(path: string) {
    if (watchers.has(path)) return
    try {
      const watcher = watch(path, (event, name) => handle(path, event, name))
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
