import { resolve } from 'node:path'
import { isHydrantPath } from '../esbuild/hydrant-files.ts'

/** Namespaces of the modules that the build writes, and esbuild's for a module that a package disables. */
const WRITTEN_BY_BUILD = /^(?:hydrant-[\w-]+|\(disabled\)):/

const REACT = /[\\/]node_modules[\\/](?:react|react-dom|scheduler)[\\/]/

/**
 * Returns whether a source belongs to the site: not to a package or Hydrant, and not written by the build. `source` is
 * the text in the source map of a bundle in `folder`.
 */
export function isOfSite(source: string, folder: string): boolean {
  if (source.includes('node_modules/') || WRITTEN_BY_BUILD.test(source)) return false
  return !isHydrantPath(resolve(folder, decodeURI(source)))
}

/** Returns whether a source is the site's or a package's, and not React's. */
export function isOfSiteOrPackage(source: string, folder: string): boolean {
  if (WRITTEN_BY_BUILD.test(source)) return false
  // From a folder in `node_modules`, the path of React in the map does not name that folder.
  const path = resolve(folder, decodeURI(source))
  return !REACT.test(path) && !isHydrantPath(path)
}
