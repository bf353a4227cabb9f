import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the name of a folder in `dir` that has a folder `pages`. Returns undefined if there is none, and if `dir` itself
 * has one. For errors: a command was probably started in the folder around the site.
 */
export function findSiteBelow(dir: string): string | undefined {
  try {
    const names = readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
      .map(({ name }) => name)
    if (names.includes('pages')) return undefined
    return names.sort().find((name) => existsSync(join(dir, name, 'pages')))
  } catch {
    return undefined
  }
}
