// A build in memory. The folder of a build may be replaced, removed or half-written while a server runs.
// `rsync --delete`, a new layer of a container and a changed symbolic link would remove a copy in the folder, too.

import { existsSync, readFileSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { CopiedModules } from './build-copy-hooks.ts'
import { BUILD_PATHS, type Manifest } from './manifest.ts'
import { checkVersion, readManifest } from './read-build.ts'

/** What a process needs of a build to start, apart from the files that it sends to browsers. */
export interface BuildCopy {
  manifest: Manifest
  modules: CopiedModules
}

// The compiler does not rewrite the extension in this text.
const HOOKS = new URL('./build-copy-hooks.js', import.meta.url).href

/** Reads a build into memory. Throws as `readManifest`, and HYD_BUILD_INCOMPLETE while it is being replaced. */
export function copyBuild(folder: string): BuildCopy {
  const manifest = readManifest(folder)
  const modules = new Map(
    [BUILD_PATHS.server, BUILD_PATHS.config].map((name) => {
      const file = join(folder, name)
      return [
        pathToFileURL(file).href,
        { url: pathToFileURL(realpathSync(file)).href, source: readFileSync(file, 'utf8') },
      ]
    }),
  )
  const kept = join(folder, BUILD_PATHS.keptServer(manifest.buildId))
  const server = modules.get(pathToFileURL(join(folder, BUILD_PATHS.server)).href)
  const isMixed = existsSync(kept) && readFileSync(kept, 'utf8') !== server?.source
  if (isMixed || readManifest(folder).buildId !== manifest.buildId) throw createMixed(folder)
  return { manifest, modules }
}

/**
 * Makes this process import the modules of a build from its copy, as if they were in its folder. Returns the manifest.
 * Null is a build that could not be copied: throws the reason, or HYD_BUILD_INCOMPLETE. Throws HYD_BUILD_VERSION.
 */
export async function serveCopy(folder: string, copy: BuildCopy | null): Promise<Manifest> {
  if (copy === null) {
    readManifest(folder)
    throw createMixed(folder)
  }
  checkVersion(folder, copy.manifest)
  // Node.js 22.15 and later. There the other way, which needs a thread, is deprecated.
  const registerHooks: unknown = Reflect.get(module, 'registerHooks')
  if (typeof registerHooks === 'function') {
    const hooks: typeof import('./build-copy-hooks.ts') = await import(HOOKS)
    hooks.initialize(copy.modules)
    registerHooks({ resolve: hooks.resolve, load: hooks.load })
  } else module.register(HOOKS, { data: copy.modules })
  return copy.manifest
}

function createMixed(folder: string) {
  return createHydrantError('HYD_BUILD_INCOMPLETE', [folder, 'its files are of more than one build'])
}

export interface ServedBuild {
  /** The option `release`, or the build's id. */
  release: string
  /** The build's id. */
  build: string
}

export interface Reload {
  /** When it ended, in milliseconds since 1970. */
  at: number
  /** Whether all workers now serve the build on the disk. */
  isDone: boolean
}

/** Warns if a new build has the same release as the previous one. */
export function warnOfSameRelease(
  before: ServedBuild | undefined,
  after: ServedBuild | undefined,
  log: Pick<FastifyBaseLogger, 'warn'>,
) {
  if (!before || !after || before.release !== after.release || before.build === after.build) return
  log.warn(
    { release: after.release, build: after.build },
    `the new build has the same release as the previous one, "${after.release}": HYDRANT_RELEASE cannot change while the process runs, so set "release" in hydrant.config.ts`,
  )
}
