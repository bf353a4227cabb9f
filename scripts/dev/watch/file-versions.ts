import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isInside } from '../../../src/server/util/paths.ts'
import type { ChangeKind } from './change-batch.ts'

export type FileChange = [path: string, kind: ChangeKind]

export interface FileVersionsInput {
  /** Whether a path is left out. */
  isIgnored(path: string): boolean
  /** Called with each folder before it is read, and with each symbolic link to a file. */
  onPlace(path: string): void
}

export function createVersions({ isIgnored, onPlace }: FileVersionsInput) {
  const seen = new Map<string, { version: string; target: string }>()
  const folders = new Set<string>()

  /** @param target The path without symbolic links. A link that leads elsewhere counts as a new file. */
  function readFile(path: string, target: string, { mtimeMs, size, ino }: Stats): FileChange[] {
    const version = `${mtimeMs} ${size} ${ino}`
    const last = seen.get(path)
    if (last?.version === version && last.target === target) return []
    seen.set(path, { version, target })
    return [[path, last?.target === target ? 'change' : 'add']]
  }

  /** Returns the files of a folder that are gone, and forgets them. */
  function forgetBelow(folder: string): FileChange[] {
    const below = [...seen.keys()].filter((file) => isInside(folder, file))
    const gone = below.filter((file) => !look(file))
    for (const file of gone) seen.delete(file)
    return gone.map((file) => [file, 'unlink'])
  }

  /** @param parents The folders that lead to this one, with symbolic links resolved: a link may lead to one of them. */
  function readFolder(path: string, parents: readonly string[]): FileChange[] {
    const here = resolveLinks(path)
    if (parents.includes(here)) return []
    folders.add(path)
    onPlace(path)
    const inside = [...parents, here]
    return list(path).flatMap((name) => find(join(path, name), inside))
  }

  function find(path: string, parents: readonly string[]): FileChange[] {
    if (isIgnored(path)) return []
    const found = look(path)
    if (!found) return seen.delete(path) ? [[path, 'unlink']] : []
    if (found.stats.isDirectory()) return readFolder(path, parents)
    if (found.isLink) onPlace(path)
    const folder = parents.at(-1)
    const target = found.isLink || folder === undefined ? resolveLinks(path) : join(folder, basename(path))
    return readFile(path, target, found.stats)
  }

  return {
    /** Returns the files at a path, which may be gone, that differ from the versions seen last. */
    read: (path: string) => [...(folders.has(path) ? forgetBelow(path) : []), ...find(path, [])],
  }
}

/** Returns null for a path that is gone, and for an unreadable one: a link to itself, a folder without permission. */
function look(path: string): { stats: Stats; isLink: boolean } | null {
  try {
    const ownStats = lstatSync(path)
    const isLink = ownStats.isSymbolicLink()
    return { stats: isLink ? statSync(path) : ownStats, isLink }
  } catch {
    return null
  }
}

/** Resolves the symbolic links of a path. Returns the path itself if nothing is there. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Lists a folder. A folder that has just been removed is empty. */
function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
