import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import { markThrown } from '../../../build/output/mark-thrown.ts'
import { isOfSiteOrPackage } from '../../../build/output/site-sources.ts'
import { linkFile } from './package-cache.ts'

/**
 * Marks the values that packages throw, in the scripts of a folder that esbuild has written. The server responds between
 * two scripts.
 *
 * @param marked The folders of the scripts that were marked before, by their names.
 */
export async function markScripts(folder: string, marked: ReadonlyMap<string, string>): Promise<void> {
  for (const mapName of await readdir(folder)) {
    if (!mapName.endsWith('.js.map')) continue
    const name = mapName.slice(0, -'.map'.length)
    const source = marked.get(mapName)
    if (source === undefined) await markScript(folder, join(folder, name))
    else for (const one of [name, mapName]) await replaceFile(join(source, one), join(folder, one))
  }
}

async function markScript(folder: string, path: string) {
  const mapPath = `${path}.map`
  const [code, json] = await Promise.all([readFile(path, 'utf8'), readFile(mapPath, 'utf8')])
  // esbuild wrote the map, so its form is known.
  const map = JSON.parse(json) as EncodedSourceMap
  const script = markThrown({ code, map }, (source) => isOfSiteOrPackage(source, folder))
  if (script.map === map) return
  await writeFile(path, script.code)
  await writeFile(mapPath, JSON.stringify(script.map))
}

async function replaceFile(source: string, target: string) {
  await rm(target)
  await linkFile(source, target)
}
