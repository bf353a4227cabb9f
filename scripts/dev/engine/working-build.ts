import { type Build, createBuild } from '../../../src/server/build-output/load-build.ts'
import {
  type Manifest,
  type RouteEntry,
  type ServerBundle,
  type Surroundings,
  serverFileKeys,
} from '../../../src/server/build-output/manifest.ts'
import type { ServerModules } from '../modules/server/server-modules.ts'
import { createPlaceholders } from './placeholders.ts'
import type { SiteStructure } from './read-structure.ts'

export interface WorkingBuildInput {
  folder: string
  manifest: Manifest
  structure: Pick<SiteStructure, 'exports'>
  modules: Pick<ServerModules, 'import' | 'scripts'>
  base: string
  /** The route, whose page gets placeholders; null for requests without a page. */
  entry: RouteEntry | null
  /** The files that respond to the request. */
  files: readonly string[]
}

/**
 * Loads the modules around a page that can be loaded. The layouts end at the first one that cannot. Resolves with null if
 * their exports are not valid. Never rejects.
 */
export async function loadWorkingBuild(input: WorkingBuildInput): Promise<Build | null> {
  const { folder, manifest, structure, modules, base, entry, files } = input
  const modulesOf = (file: string) => [file, ...serverFileKeys(file)].filter((key) => structure.exports.has(key))
  const ofPage = entry ? modulesOf(entry.page) : []
  const loaded: ServerBundle['modules'] = Object.fromEntries(
    ofPage.map((file) => [file, createPlaceholders(structure.exports.get(file))]),
  )
  for (const file of files) {
    // The response has the error of another attempt.
    const module = file in loaded ? null : await modules.import(file).catch(() => null)
    if (module) loaded[file] = module
  }
  const works = (file: string) => modulesOf(file).every((key) => key in loaded)
  const routes = entry ? [keepWorking(entry, works)] : []
  try {
    const part = { ...manifest, routes, root: keepWorking(manifest.root, works) }
    return createBuild({ folder, manifest: part, modules: loaded, base, bundles: modules.scripts })
  } catch {
    return null
  }
}

function keepWorking<Part extends Surroundings>(part: Part, works: (file: string) => boolean): Part {
  const { layouts, errors, notFounds } = part
  const broken = layouts.findIndex((file) => !works(file))
  return {
    ...part,
    layouts: broken === -1 ? layouts : layouts.slice(0, broken),
    errors: errors.filter(({ file }) => works(file)),
    notFounds: notFounds.filter(({ file }) => works(file)),
  }
}
