import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILD_PATHS } from './manifest.ts'

/** A bundle that this process has imported. */
export interface MappedBundle {
  /** The path that it was imported from. */
  path: string
  /** Returns where the bundle and its source map are now; null if the file in its place belongs to another build. */
  findFile(): string | null
  /** Returns the source map with the fields of `ServerMapFields`. Left out when the file has them. */
  completeMap?(): string
  /** Returns whether it may contain a file of the site, or a text. Left out for a bundle of a whole site. */
  mayHave?(part: { file: string } | { text: string }): boolean
}

/**
 * Returns the bundles of a build. A newer build may have replaced it in the meantime: the folder keeps the old server
 * bundle, and its other files do not belong to the running code.
 */
export function ownBundles(folder: string, buildId: string): MappedBundle[] {
  const config = join(folder, BUILD_PATHS.config)
  const kept = join(folder, BUILD_PATHS.keptServer(buildId))
  return [
    { path: join(folder, BUILD_PATHS.server), findFile: () => (existsSync(kept) ? kept : null) },
    { path: config, findFile: () => (currentBuildId(folder) === buildId ? config : null) },
  ]
}

/** Whether the folder contains, or keeps, the server bundle of the build with an id. */
export function isBuildOf(folder: string, buildId: string): boolean {
  return BUILD_ID.test(buildId) && existsSync(join(folder, BUILD_PATHS.keptServer(buildId)))
}

// Clients choose the id, and it becomes part of a path.
const BUILD_ID = /^[\da-f]{1,64}$/

function currentBuildId(folder: string): unknown {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, BUILD_PATHS.manifest), 'utf8'))
    return typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'buildId') : null
  } catch {
    return null
  }
}
