import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BUILD_PATHS, type Manifest } from '../../../src/server/build-output/manifest.ts'

const FOLDERS = [dirname(BUILD_PATHS.server), BUILD_PATHS.client, BUILD_PATHS.clientMaps, BUILD_PATHS.public]

/** Empties the folder that the dev server writes to, except for files of other processes. */
export function prepareFolder(folder: string): void {
  for (const name of FOLDERS) rmSync(join(folder, name), { recursive: true, force: true })
  for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true })
}

export function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, BUILD_PATHS.manifest), JSON.stringify(manifest))
}
