// Pages that are open in browsers while a new build takes the place of the old one still ask for the old one's files.

import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import type { OutputFolder } from './output-folder.ts'

const AT_A_TIME = 16

/**
 * Takes over the files for the browser of the build that stands in the folder, as far as the new one does not make them
 * itself, with their compressed copies. What that build had taken over goes, unless both make the same files: then it
 * is as if it had been built once. Returns how many files were taken over.
 */
export async function keepPreviousFiles(folder: string, own: readonly string[], output: OutputFolder): Promise<number> {
  const before = namesIn(await readJson(join(folder, BUILD_PATHS.manifest)))
  const isSame = JSON.stringify(before) === JSON.stringify(own)
  const names = isSame ? namesIn(await readJson(join(folder, BUILD_PATHS.previous))) : before
  const isOwn = new Set(own)
  const present = new Set(await readdir(join(folder, BUILD_PATHS.client)).catch(() => []))
  const kept = names.filter((name) => present.has(name) && !isOwn.has(name))
  const files = kept.flatMap((name) => [name, `${name}.br`, `${name}.gz`]).filter((name) => present.has(name))
  await forEachAtATime(files, (name) => output.keep(`${BUILD_PATHS.client}/${name}`))
  if (kept.length > 0) {
    await output.write(BUILD_PATHS.previous, `${JSON.stringify({ clientFiles: kept }, null, 2)}\n`)
  }
  return kept.length
}

export async function forEachAtATime(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  for (let index = 0; index < names.length; index += AT_A_TIME) {
    await Promise.all(names.slice(index, index + AT_A_TIME).map(work))
  }
}

/** Of the first build there is none, and one that is broken has nothing to give. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null
  }
}

/** The names of files in a list of that name. */
export function namesIn(json: unknown, field = 'clientFiles'): string[] {
  const list: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, field) : null
  // The folder is flat.
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string' && basename(name) === name) : []
}
