import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILD_PATHS } from './manifest.ts'

/** A file of the server, by the path that it is imported from, and where its text and its map lie now. */
export interface MappedBundle {
  path: string
  /** Null when what lies in its place belongs to another build. */
  findFile(): string | null
}

/**
 * The files of a build that its server has loaded. A new build may have taken its place since: then the new one has kept
 * the old one's server bundle, and what else lies there is not for the code that runs.
 */
export function ownBundles(folder: string, buildId: string): MappedBundle[] {
  const isCurrent = () => currentBuildId(folder) === buildId
  const server = join(folder, BUILD_PATHS.server)
  const config = join(folder, BUILD_PATHS.config)
  const kept = join(folder, BUILD_PATHS.keptServer(buildId))
  return [
    {
      path: server,
      findFile() {
        if (isCurrent()) return server
        return existsSync(kept) ? kept : null
      },
    },
    { path: config, findFile: () => (isCurrent() ? config : null) },
  ]
}

/** Does a build of that id lie there, or has one, of which it is known what it was? */
export function isBuildOf(folder: string, buildId: string): boolean {
  if (!BUILD_ID.test(buildId)) return false
  return existsSync(join(folder, BUILD_PATHS.keptServer(buildId))) || currentBuildId(folder) === buildId
}

// What somebody says it is becomes a part of a path.
const BUILD_ID = /^[\da-f]{1,64}$/

function currentBuildId(folder: string): unknown {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, BUILD_PATHS.manifest), 'utf8'))
    return typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'buildId') : null
  } catch {
    return null
  }
}
