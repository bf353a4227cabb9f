// Pages that are open in browsers during a deployment still request files of the previous build.

import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import type { OutputFolder } from './output-folder.ts'

/**
 * Keeps the browser's files of the build in `folder`, with their compressed copies. `newFiles` are the files that the
 * new build writes itself. Files that the old build had kept are dropped. When both builds write the same files, those
 * files are kept instead: building twice has the effect of building once. Returns the number of files that were kept.
 */
export async function keepPreviousFiles(
  folder: string,
  newFiles: readonly string[],
  output: OutputFolder,
): Promise<number> {
  const before = fileNamesIn(await readJson(join(folder, BUILD_PATHS.manifest)))
  const isSame = JSON.stringify(before) === JSON.stringify(newFiles)
  const names = isSame ? fileNamesIn(await readJson(join(folder, BUILD_PATHS.previous))) : before
  const isNew = new Set(newFiles)
  const present = new Set(await readdir(join(folder, BUILD_PATHS.client)).catch(() => []))
  const kept = names.filter((name) => present.has(name) && !isNew.has(name))
  const files = kept.flatMap((name) => [name, `${name}.br`, `${name}.gz`]).filter((name) => present.has(name))
  await mapWithLimit(files, FILES_AT_A_TIME, (name) => output.keep(`${BUILD_PATHS.client}/${name}`))
  if (kept.length > 0) {
    await output.write(BUILD_PATHS.previous, `${JSON.stringify({ clientFiles: kept }, null, 2)}\n`)
  }
  return kept.length
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
