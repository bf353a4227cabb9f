import { extname } from 'node:path'
import type { Loader } from 'esbuild'

/** Returns the loader that reads a script of a site, by its path. JSX is allowed in any JavaScript. */
export function loaderOf(path: string): Loader {
  const extension = extname(path)
  if (extension === '.tsx') return 'tsx'
  return /^\.[cm]?ts$/.test(extension) ? 'ts' : 'jsx'
}

/** Returns whether a file belongs to an installed package. */
export function isInstalled(path: string): boolean {
  return /(?:^|[\\/])node_modules[\\/]/.test(path)
}
