import type { Metafile } from 'esbuild'
import { packageName } from './node-specifier.ts'

/** Matches the path of a package's file. The group is the name of the package that contains the file. */
const PACKAGE_FILE = /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//

/**
 * Returns the names of the packages that must be a part of the server's bundle: those whose scripts import stylesheets,
 * which Node.js cannot load, or `hydrant/react`, which knows the base of the site only in its bundle, and the packages
 * through which the site imports them. Names that tsconfig.json gives to modules of the site may be among them.
 *
 * @param metafile The result of a bundle for the browser, which contains the packages.
 */
export function findInlinedPackages({ inputs }: Metafile): string[] {
  const importers = new Map<string, { importer: string; original: string }[]>()
  const found = new Set<string>()
  for (const [importer, { imports }] of Object.entries(inputs)) {
    for (const { path, original = path } of imports) {
      importers.set(path, [...(importers.get(path) ?? []), { importer, original }])
      if (!isCss(importer) && (isCss(path) || original === 'hydrant/react')) found.add(importer)
    }
  }
  const names = new Set<string>()
  for (const path of found) {
    const [, name] = PACKAGE_FILE.exec(path) ?? []
    if (name !== undefined) names.add(name)
    for (const { importer, original } of importers.get(path) ?? []) {
      found.add(importer)
      // The files of a linked package are outside of node_modules.
      if (/^[^./#:]+(?:\/|$)/.test(original)) names.add(packageName(original))
    }
  }
  return [...names].sort()
}

function isCss(path: string): boolean {
  return path.endsWith('.css')
}
