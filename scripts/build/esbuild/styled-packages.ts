import type { Metafile } from 'esbuild'

/** Matches the path of a package's file. The group is the name of the package that contains the file. */
const PACKAGE_FILE = /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//

/**
 * Returns the names of the packages whose scripts import stylesheets, and of the packages through which the site
 * imports them. Node.js cannot load these.
 *
 * @param metafile The result of a bundle for the browser, which contains the packages.
 */
export function findStyledPackages({ inputs }: Metafile): string[] {
  const importers = new Map<string, string[]>()
  for (const [importer, { imports }] of Object.entries(inputs)) {
    for (const { path } of imports) importers.set(path, [...(importers.get(path) ?? []), importer])
  }
  const importersOf = (path: string) => (importers.get(path) ?? []).filter((one) => PACKAGE_FILE.test(one))
  const isCss = (path: string) => path.endsWith('.css')
  const scripts = Object.keys(inputs).filter(isCss).flatMap(importersOf)
  const found = new Set(scripts.filter((path) => !isCss(path)))
  for (const path of found) for (const importer of importersOf(path)) found.add(importer)
  return [...new Set([...found].map((path) => PACKAGE_FILE.exec(path)?.[1] ?? ''))].sort()
}
