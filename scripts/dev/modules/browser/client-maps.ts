import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import { BUILD_PATHS } from '../../../../src/server/build-output/manifest.ts'
import { nameFunctions } from '../../../build/output/name-functions.ts'

/** A script of a browser, with its source map. */
export interface MappedScript {
  name: string
  text: string
  map: EncodedSourceMap
}

/**
 * Writes the map of a script for the failures that browsers report. The browser does not wait for it.
 *
 * @param outdated The name of an earlier script, whose map is removed.
 */
export function keepMap(folder: string, { name, text, map }: MappedScript, outdated: string | null): void {
  const fileOf = (script: string) => join(folder, BUILD_PATHS.clientMaps, `${script}.map`)
  setImmediate(() => {
    writeFileSync(
      fileOf(name),
      nameFunctions(text, map, () => false),
    )
    if (outdated !== null) rmSync(fileOf(outdated), { force: true })
  })
}
