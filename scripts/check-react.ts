import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PACKAGE_FOLDER } from '../src/server/util/paths.ts'

/** The oldest supported version, as `peerDependencies` in `package.json` says: major and minor. */
export const OLDEST_REACT = [19, 2] as const

/** The versions of React's packages that a site gets; null for a package that is not installed. */
export interface SiteReact {
  react: string | null
  'react-dom': string | null
}

/** Reads a site's versions of React without imports: Node.js refuses older ones with a SyntaxError. */
export function readReact(siteDir: string): SiteReact {
  return { react: findVersion('react', siteDir), 'react-dom': findVersion('react-dom', siteDir) }
}

/** Describes the packages that are too old; null if there are none. */
export function describeOldReact(found: SiteReact): string | null {
  const old = Object.entries(found).filter(([, version]) => version !== null && isOld(version))
  return old.length === 0 ? null : old.map(([name, version]) => `${name} ${version}`).join(' and ')
}

/** Describes the packages that are missing or too old; null if there are none. */
export function describeWrongReact(found: SiteReact): string | null {
  const missing = Object.entries(found).flatMap(([name, version]) => (version === null ? [name] : []))
  if (missing.length === 2) return 'neither'
  return missing.length === 1 ? `no package ${missing[0]}` : describeOldReact(found)
}

/** Returns false for a version that cannot be compared, such as that of an experimental build, 0.0.0-…. */
function isOld(version: string): boolean {
  const [, major, minor] = /^([1-9]\d*)\.(\d+)\./.exec(version) ?? []
  if (major === undefined) return false
  const [oldestMajor, oldestMinor] = OLDEST_REACT
  return Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor)
}

/** Returns the version of a package for a site. If Hydrant itself finds another one, the text names both. */
export function describeVersion(name: string, siteDir: string): string {
  const [forSite, own] = [findVersion(name, siteDir), findVersion(name, PACKAGE_FOLDER)]
  if (forSite === null) return own === null ? 'not installed' : `${own} (found from hydrant only)`
  return own === null || own === forSite ? forSite : `${forSite} (hydrant uses ${own})`
}

/** Finds a package's version in Node's folders, as some packages do not export package.json; null without one. */
function findVersion(name: string, folder: string): string | null {
  try {
    const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    const { version }: { version?: unknown } = JSON.parse(text)
    return String(version)
  } catch {
    const parent = dirname(folder)
    return parent === folder ? null : findVersion(name, parent)
  }
}
