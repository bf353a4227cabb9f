import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  BUILD_PATHS,
  MANIFEST_FORMAT,
  type Manifest,
  type Surroundings,
  serverFileKeys,
} from '../../../src/server/build-output/manifest.ts'
import { VERSION } from '../../../src/server/build-output/read-build.ts'
import { isRunning } from '../../../src/server/util/is-running.ts'
import { REMOVE } from '../../../src/server/util/paths.ts'
import { sortByEvaluation } from '../../build/bundles/bundle-options.ts'
import type { BrowserModules } from '../modules/browser/browser-modules.ts'
import type { PackageBundle } from '../modules/packages/package-cache.ts'
import type { SiteStructure } from './read-structure.ts'

/** Writes the manifest of a site in development, whose modules are scripts of their own. */
export function createDevManifest(
  { site }: SiteStructure,
  buildId: string,
  packages: PackageBundle,
  modules: Pick<BrowserModules, 'rootName' | 'stylesOf'>,
): Manifest {
  return {
    buildId,
    clientFiles: [],
    dataReader: [],
    entry: packages.entry,
    entryImports: packages.imports,
    format: MANIFEST_FORMAT,
    hydrant: VERSION,
    mode: 'development',
    modules: Object.fromEntries(
      site.components.map(({ file }) => [
        file,
        { js: modules.rootName(file), imports: [], css: modules.stylesOf(file) },
      ]),
    ),
    publicFiles: site.publicFiles,
    root: site.root,
    routes: site.routes,
    serverPlugin: site.serverPlugin,
  }
}

/** Returns the files of the site that respond to a route, or to requests without a page, in the order of evaluation. */
export function filesOf(
  { layouts, errors, notFounds }: Surroundings,
  page: string | null,
  { site }: SiteStructure,
): string[] {
  const components = [
    ...layouts,
    ...[...errors, ...notFounds].map(({ file }) => file),
    ...(page === null ? [] : [page]),
  ]
  const keys = new Set(components.flatMap(serverFileKeys))
  const serverFiles = site.serverFiles.map(({ file }) => file).filter((file) => keys.has(file))
  return sortByEvaluation([...components, ...serverFiles])
}

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
    if (Number(id) === process.pid || !isRunning(Number(id))) rmSync(join(siteDir, name), REMOVE)
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
