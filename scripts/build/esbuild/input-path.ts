import { isAbsolute, relative } from 'node:path'

/**
 * Returns the path of an input of a metafile. esbuild adds the attributes of an import, as `with { type: 'json' }`, if the
 * same file is also imported without them.
 */
export function inputPath(input: string): string {
  return input.replace(/ with \{[^}]*\}$/, '')
}

/** Returns a file as an entry of esbuild, relative to the site: a star in the path of the site's folder would be a pattern. */
export function entryPath(siteDir: string, file: string): string {
  const path = relative(siteDir, file)
  // On another drive of Windows.
  return isAbsolute(path) ? path : `./${path}`
}
