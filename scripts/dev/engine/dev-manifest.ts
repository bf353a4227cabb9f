import {
  MANIFEST_FORMAT,
  type Manifest,
  type Surroundings,
  serverFileKeys,
} from '../../../src/server/build-output/manifest.ts'
import { VERSION } from '../../../src/server/build-output/read-build.ts'
import { sortByEvaluation } from '../../build/bundles/bundle-options.ts'
import type { BrowserModules } from '../modules/browser/browser-modules.ts'
import type { PackageBundle } from '../modules/packages/package-bundle.ts'
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
