// Pages that were opened and servers that were started before the last build still report failures. Their stacks need
// the source maps of earlier builds.

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import type { OutputFolder } from './output-folder.ts'
import { EARLIER_BUILDS, fileNamesIn, readJson } from './previous-files.ts'

interface KeptBuild {
  buildId: string
  /** Names of the files in the folder of maps. */
  maps: string[]
}

/**
 * Keeps the source maps of earlier builds, and their server bundles, because a position in a server's map needs the
 * text of the bundle. `newMaps` are the maps that the new build writes itself.
 */
export async function keepPreviousMaps(
  folder: string,
  { buildId, maps: newMaps }: KeptBuild,
  output: OutputFolder,
): Promise<void> {
  const present = new Set(await readdir(join(folder, BUILD_PATHS.clientMaps)).catch(() => []))
  const last = await readLastBuild(folder, present)
  const builds = [...(last ? [last] : []), ...(await readKeptBuilds(folder))]
    .filter((build, index, all) => all.findIndex((one) => one.buildId === build.buildId) === index)
    .filter(
      (build) => build.buildId !== buildId && existsSync(join(folder, `${BUILD_PATHS.keptServer(build.buildId)}.map`)),
    )
    .slice(0, EARLIER_BUILDS)
  if (builds.length === 0) return
  const isNew = new Set(newMaps)
  const maps = new Set(builds.flatMap((build) => build.maps).filter((name) => present.has(name) && !isNew.has(name)))
  await mapWithLimit(maps, FILES_AT_A_TIME, (name) => output.keep(`${BUILD_PATHS.clientMaps}/${name}`))
  for (const build of builds) {
    const kept = BUILD_PATHS.keptServer(build.buildId)
    await output.keep(kept)
    await output.keep(`${kept}.map`)
  }
  await output.write(BUILD_PATHS.keptBuilds, `${JSON.stringify({ builds }, null, 2)}\n`)
}

async function readLastBuild(folder: string, present: ReadonlySet<string>): Promise<KeptBuild | null> {
  const manifest = await readJson(join(folder, BUILD_PATHS.manifest))
  const buildId = fieldOf(manifest, 'buildId')
  if (!isBuildId(buildId)) return null
  return {
    buildId,
    maps: fileNamesIn(manifest, 'clientFiles')
      .map((name) => `${name}.map`)
      .filter((name) => present.has(name)),
  }
}

async function readKeptBuilds(folder: string): Promise<KeptBuild[]> {
  const builds = fieldOf(await readJson(join(folder, BUILD_PATHS.keptBuilds)), 'builds')
  if (!Array.isArray(builds)) return []
  return builds.flatMap((build: unknown) => {
    const buildId = fieldOf(build, 'buildId')
    return isBuildId(buildId) ? [{ buildId, maps: fileNamesIn(build, 'maps') }] : []
  })
}

function fieldOf(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined
}

// The id becomes part of a path.
function isBuildId(value: unknown): value is string {
  return typeof value === 'string' && /^\w+$/.test(value) && basename(value) === value
}
