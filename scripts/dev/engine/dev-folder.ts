import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BUILD_PATHS, type Manifest } from '../../../src/server/build-output/manifest.ts'
import { isRunning } from '../../../src/server/util/is-running.ts'

const PREFIX = '.hydrant-dev-'
const FOLDERS = [dirname(BUILD_PATHS.server), BUILD_PATHS.client, BUILD_PATHS.clientMaps, BUILD_PATHS.public]

/**
 * Creates an empty folder for the files that this process writes, and removes the folders of ended processes. Each
 * process has its own, so that a second one does not remove scripts and source maps that the first reads later. None is
 * the folder of `hydrant build`, so that a site can be developed while its build is served.
 *
 * @returns Its absolute path.
 */
export function createDevFolder(siteDir: string): string {
  for (const name of readdirSync(siteDir)) {
    const id = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : ''
    if (!/^\d+$/.test(id)) continue
    if (Number(id) === process.pid || !isRunning(Number(id)))
      rmSync(join(siteDir, name), { recursive: true, force: true })
  }
  const folder = join(siteDir, `${PREFIX}${process.pid}`)
  for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true })
  return folder
}

/** Returns whether a running process is a `hydrant dev` of the site. */
export function isDevProcess(siteDir: string, pid: number): boolean {
  return existsSync(join(siteDir, `${PREFIX}${pid}`))
}

export function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, BUILD_PATHS.manifest), JSON.stringify(manifest))
}
