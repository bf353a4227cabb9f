import { readdirSync, type Stats, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { ChangeKind } from './change-batch.ts'

/** The versions of files that were seen last. */
export interface FileVersions {
  isIgnored(path: string): boolean
  /**
   * Compares a file, or all files of a folder, with the versions that were seen last. Returns those that differ.
   *
   * @param path An absolute path, also of a file that does not exist any more.
   */
  read(path: string): [path: string, kind: ChangeKind][]
}

/** @param isIgnored Whether a path is left out. */
export function createVersions(isIgnored: (path: string) => boolean): FileVersions {
  const seen = new Map<string, string>()

  function readFile(path: string, { mtimeMs, size, ino }: Stats): [string, ChangeKind][] {
    const version = `${mtimeMs} ${size} ${ino}`
    const last = seen.get(path)
    if (last === version) return []
    seen.set(path, version)
    return [[path, last === undefined ? 'add' : 'change']]
  }

  function forget(path: string): [string, ChangeKind][] {
    const gone = [...seen.keys()].filter((file) => file === path || file.startsWith(path + sep))
    for (const file of gone) seen.delete(file)
    return gone.map((file) => [file, 'unlink'])
  }

  function read(path: string): [string, ChangeKind][] {
    if (isIgnored(path)) return []
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) return forget(path)
    if (!stats.isDirectory()) return readFile(path, stats)
    // The watcher follows links, and reports what it finds behind them.
    const entries = readFolder(path).filter((entry) => !entry.isSymbolicLink())
    return entries.flatMap(({ name }) => read(join(path, name)))
  }
  return { isIgnored, read }
}

/** Lists a folder; a folder that was removed meanwhile is empty. */
function readFolder(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}
