import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BUILD_PATHS } from '../build-output/manifest.ts'

/**
 * Returns the names of a site's scripts in development that have a source map, each in its latest version. The number
 * before the extension is the version: `index-ABCDEFGH.3.js`.
 */
export function currentScripts(folder: string): string[] {
  const latest = new Map<string, number>()
  for (const name of readdirSync(join(folder, BUILD_PATHS.clientMaps))) {
    const [, stem, version] = /^(.+)\.(\d+)\.js\.map$/.exec(name) ?? []
    if (stem !== undefined) latest.set(stem, Math.max(latest.get(stem) ?? 0, Number(version)))
  }
  return [...latest].map(([stem, version]) => `${stem}.${version}.js`)
}
