import { type Build, createBuild } from '../../../src/server/build-output/load-build.ts'
import {
  type LeveledFile,
  type Manifest,
  type RouteEntry,
  type ServerBundle,
  type Surroundings,
  serverFileKeys,
} from '../../../src/server/build-output/manifest.ts'
import { SCHEMA_EXPORTS } from '../../../src/server/schemas/page-schemas.ts'
import type { StandardSchema } from '../../../src/shared/standard-schema.ts'
import type { ServerModules } from '../modules/server/server-modules.ts'
import type { SiteStructure } from './read-structure.ts'

/** An attempt to load the modules of a route. */
export interface LoadAttempt {
  loaded: ServerBundle['modules']
  /** The file that could not be loaded; null if all could. */
  broken: string | null
}

export interface WorkingBuildInput {
  folder: string
  manifest: Manifest
  structure: Pick<SiteStructure, 'exports'>
  modules: Pick<ServerModules, 'import' | 'scripts'>
  base: string
  /** The route, whose page gets placeholders; null for requests without a page. */
  entry: RouteEntry | null
  /** The attempt that has failed. Its broken file is not loaded again. */
  attempt: LoadAttempt
}

/**
 * Loads the modules around a page that can be loaded. The layouts end at the first one that cannot. Rejects if their
 * exports are not valid.
 */
export async function loadWorkingBuild(input: WorkingBuildInput): Promise<Build> {
  const { folder, manifest, structure, modules, base, entry, attempt } = input
  const modulesOf = (file: string) => [file, ...serverFileKeys(file)].filter((key) => structure.exports.has(key))
  const loaded = { ...attempt.loaded }
  const broken = new Set([attempt.broken])

  async function works(file: string): Promise<boolean> {
    for (const key of modulesOf(file)) {
      if (key in loaded) continue
      const module = broken.has(key) ? null : await modules.import(key).catch(() => null)
      if (module === null) {
        broken.add(key)
        return false
      }
      loaded[key] = module
    }
    return true
  }

  async function keepWorking<Part extends Surroundings>(part: Part): Promise<Part> {
    const layouts: string[] = []
    for (const file of part.layouts) {
      if (!(await works(file))) break
      layouts.push(file)
    }
    async function filter(files: readonly LeveledFile[]) {
      const kept: LeveledFile[] = []
      for (const one of files) if (one.level <= layouts.length && (await works(one.file))) kept.push(one)
      return kept
    }
    return { ...part, layouts, errors: await filter(part.errors), notFounds: await filter(part.notFounds) }
  }

  const part = entry
    ? { ...manifest, routes: [await keepWorking(entry)] }
    : { ...manifest, routes: [], root: await keepWorking(manifest.root) }
  for (const file of entry ? modulesOf(entry.page) : []) loaded[file] = createPlaceholders(structure.exports.get(file))
  return createBuild({ folder, manifest: part, modules: loaded, base, bundles: modules.scripts })
}

/** The placeholder of a function. */
export const UNLOADED = () => null

const unloadedSchema: StandardSchema = {
  '~standard': { version: 1, vendor: 'hydrant', validate: (value) => ({ value }) },
}

/** The placeholders of exports that are not functions. */
const PLACEHOLDERS = new Map<string, unknown>([
  ['stream', true],
  ['hydrate', false],
  ['cache', { maxAgeS: 0 }],
  ['prerender', undefined],
  ...SCHEMA_EXPORTS.map((name) => [name, unloadedSchema] as const),
])

/** Creates values for the exports of a module that is not loaded. */
export function createPlaceholders(names: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, PLACEHOLDERS.has(name) ? PLACEHOLDERS.get(name) : UNLOADED]))
}
