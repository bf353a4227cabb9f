import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PACKAGE_FOLDER } from '../src/server/util/package-folder.ts'

/**
 * Returns the version of a package as a site's folder finds it. If Hydrant itself finds another one, the text names both.
 */
export function describeVersion(name: string, siteDir: string): string {
  const [forSite, own] = [findVersion(name, siteDir), findVersion(name, PACKAGE_FOLDER)]
  if (forSite === null) return own === null ? 'not installed' : `${own} (found from hydrant only)`
  return own === null || own === forSite ? forSite : `${forSite} (hydrant uses ${own})`
}

/**
 * Finds the version of a package in the folders that Node.js searches; null without one. Does not resolve the package by its name, because
 * some packages do not export their package.json.
 */
export function findVersion(name: string, folder: string): string | null {
  try {
    const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    const { version }: { version?: unknown } = JSON.parse(text)
    return String(version)
  } catch {
    const parent = dirname(folder)
    return parent === folder ? null : findVersion(name, parent)
  }
}
