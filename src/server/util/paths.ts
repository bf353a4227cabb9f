import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

// Right for each module of a room, and for the bundle of the rooms, which is a folder beside them.
/** The folder of this package, which contains its package.json. Ends with a separator. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../../../..', import.meta.url))

/**
 * Returns the path of a file relative to the site's folder, with forward slashes. It is absolute for a file on another
 * drive of Windows.
 */
export function toSitePath(siteDir: string, file: string): string {
  return relative(siteDir, file).split(sep).join('/')
}

/** Returns whether a path leads into a folder, which may be the root of a drive. Both are absolute and in the same case. */
export function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Returns whether a path of `toSitePath` leads out of the folder. */
export function isOutside(path: string): boolean {
  return path === '..' || path.startsWith('../') || isAbsolute(path)
}

/**
 * Options of `rm` that remove a file or a folder, if it exists. On Windows it may be open, as a virus scanner opens each new
 * file for a moment: Node.js tries again for 1.5 seconds.
 */
export const REMOVE = { recursive: true, force: true, maxRetries: 5 } as const
