import { statSync } from 'node:fs'

/** Returns whether a folder, or a link to one, has this path. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
