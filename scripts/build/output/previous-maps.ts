// Source maps of the builds before: failures are told of pages that were opened before the last build, and by servers
// that were started before it.

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import type { OutputFolder } from './output-folder.ts'
import { forEachAtATime, namesIn, readJson } from './previous-files.ts'

/** Of how many builds maps are kept, the new one included. */
const MAX_BUILDS = 5

interface KeptBuild {
  buildId: string
  /** Names in the folder of maps. */
  maps: string[]
}

/**
 * Takes over the maps of the builds before, and the bundles of their servers, whose text is needed to read theirs.
 * `ownMaps` are names of those that the new build writes itself.
 */
export async function keepPreviousMaps(
  folder: string,
  { buildId, maps: ownMaps }: KeptBuild,
  output: OutputFolder,
): Promise<void> {
  const present = new Set(await readdir(join(folder, BUILD_PATHS.clientMaps)).catch(() => []))
  const last = await readLastBuild(folder, present)
  const builds = [...(last ? [last] : []), ...(await readKeptBuilds(folder))]
    .filter((build, index, all) => all.findIndex((one) => one.buildId === build.buildId) === index)
    .filter((build) => build.buildId !== buildId && existsSync(join(folder, `${serverOf(build, last)}.map`)))
    .slice(0, MAX_BUILDS - 1)
  if (builds.length === 0) return
  const own = new Set(ownMaps)
  const maps = new Set(builds.flatMap((build) => build.maps).filter((name) => present.has(name) && !own.has(name)))
  await forEachAtATime([...maps], (name) => output.keep(`${BUILD_PATHS.clientMaps}/${name}`))
  for (const build of builds) {
    const kept = BUILD_PATHS.keptServer(build.buildId)
    const from = serverOf(build, last)
    await output.keep(from, kept)
    await output.keep(`${from}.map`, `${kept}.map`)
  }
  await output.write(BUILD_PATHS.keptBuilds, `${JSON.stringify({ builds }, null, 2)}\n`)
}

function serverOf(build: KeptBuild, last: KeptBuild | null): string {
  return build === last ? BUILD_PATHS.server : BUILD_PATHS.keptServer(build.buildId)
}

async function readLastBuild(folder: string, present: ReadonlySet<string>): Promise<KeptBuild | null> {
  const manifest = await readJson(join(folder, BUILD_PATHS.manifest))
  const buildId = fieldOf(manifest, 'buildId')
  if (!isBuildId(buildId)) return null
  return {
    buildId,
    maps: namesIn(manifest, 'clientFiles')
      .map((name) => `${name}.map`)
      .filter((name) => present.has(name)),
  }
}

async function readKeptBuilds(folder: string): Promise<KeptBuild[]> {
  const builds = fieldOf(await readJson(join(folder, BUILD_PATHS.keptBuilds)), 'builds')
  if (!Array.isArray(builds)) return []
  return builds.flatMap((build: unknown) => {
    const buildId = fieldOf(build, 'buildId')
    return isBuildId(buildId) ? [{ buildId, maps: namesIn(build, 'maps') }] : []
  })
}

function fieldOf(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined
}

// It becomes part of a path.
function isBuildId(value: unknown): value is string {
  return typeof value === 'string' && /^\w+$/.test(value) && basename(value) === value
}
