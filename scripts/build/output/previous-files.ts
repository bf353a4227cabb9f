// Pages that are open in browsers during a deployment still request files of earlier builds. More than one build may lie
// between that of the server and the new one: a build that could not start was followed by its fix.

import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import type { OutputFolder } from './output-folder.ts'

/** The number of earlier builds whose files and source maps are kept. */
export const EARLIER_BUILDS = 4

/**
 * Keeps the browser's files of the build in `folder` and of those before it, with their compressed copies. `newFiles` are
 * the files that the new build writes itself. A build with the same files as another counts once. Returns the number of
 * files that were kept.
 */
export async function keepPreviousFiles(
  folder: string,
  newFiles: readonly string[],
  output: OutputFolder,
): Promise<number> {
  const present = new Set(await readdir(join(folder, BUILD_PATHS.client)).catch(() => []))
  const isNew = new Set(newFiles)
  const builds = (await readEarlierBuilds(folder)).filter((names) => !isSame(names, newFiles)).slice(0, EARLIER_BUILDS)
  const kept = [...new Set(builds.flat())].filter((name) => present.has(name) && !isNew.has(name))
  const files = kept.flatMap((name) => [name, `${name}.br`, `${name}.gz`]).filter((name) => present.has(name))
  await mapWithLimit(files, FILES_AT_A_TIME, (name) => output.keep(`${BUILD_PATHS.client}/${name}`))
  if (kept.length > 0) {
    const record = { builds: builds.map((clientFiles) => ({ clientFiles })) }
    await output.write(BUILD_PATHS.previous, `${JSON.stringify(record, null, 2)}\n`)
  }
  return kept.length
}

/** Returns the names of the files of each build, the last one first. */
async function readEarlierBuilds(folder: string): Promise<string[][]> {
  const last = fileNamesIn(await readJson(join(folder, BUILD_PATHS.manifest)))
  const record = await readJson(join(folder, BUILD_PATHS.previous))
  const builds: unknown = typeof record === 'object' && record !== null ? Reflect.get(record, 'builds') : null
  const earlier = Array.isArray(builds) ? builds.map((build) => fileNamesIn(build)) : []
  return [last, ...earlier].filter(
    (names, index, all) => names.length > 0 && all.findIndex((other) => isSame(other, names)) === index,
  )
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify(names) === JSON.stringify(others)
}

/** Reads a JSON file. Returns null when it is missing or broken. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null
  }
}

/** Returns the file names in the list `field` of a JSON object. */
export function fileNamesIn(json: unknown, field = 'clientFiles'): string[] {
  const list: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, field) : null
  // The folder is flat, and a name must not lead out of it.
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string' && basename(name) === name) : []
}
