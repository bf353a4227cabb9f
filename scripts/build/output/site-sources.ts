import { resolve } from 'node:path'
import { ownFile } from '../esbuild/hydrant-modules.ts'

// Hydrant's own modules, compiled and as their own source maps have them, when it is no package beside the site's others.
const OWN_FOLDERS = [ownFile(''), ownFile('../../src/')]

/** Namespaces of the modules that the build makes, and what esbuild writes for a module that a package turns off. */
const MADE = /^(?:hydrant-[\w-]+|\(disabled\)):/

/** Is a source, as the map of a bundle in `folder` has it, the site's: neither a package's, nor Hydrant's, nor made by the build? */
export function isOfSite(source: string, folder: string): boolean {
  if (source.includes('node_modules/') || MADE.test(source)) return false
  const file = resolve(folder, decodeURI(source))
  return !OWN_FOLDERS.some((own) => file.startsWith(own))
}
