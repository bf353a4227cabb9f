import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Returns all files of a folder, by their paths in it, sorted. */
export function walk(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}
