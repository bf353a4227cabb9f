import { type Build, createBuild, type LiveBuild } from '../../../src/server/build-output/load-build.ts'
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
import { BASE_MODULE } from '../../build/esbuild/virtual-modules.ts'
import type { ServerModules } from '../modules/server/server-modules.ts'
import { filesOf } from './dev-manifest.ts'
import type { SiteStructure } from './read-structure.ts'
import { guardFilesOf } from './site-revisions.ts'

/** A live build, with functions for changes of its modules. */
export interface DevLiveBuild extends Omit<LiveBuild, 'brokenPage'> {
  /** Makes the next request of each route that uses one of these modules load its code again. */
  expire(ids: ReadonlySet<string>): void
  /** Returns whether the last attempt to load the code of a route has failed. For other requests, the route is `*`. */
  hasFailed(route: string | null): boolean
}

export interface LiveBuildInput {
  folder: string
  manifest: Manifest
  structure: SiteStructure
  modules: ServerModules
}

const BASE_ID = `${BASE_MODULE}:${BASE_MODULE}`

export function createLiveBuild({ folder, manifest, structure, modules }: LiveBuildInput): DevLiveBuild {
  const { root } = manifest
  const files = new Map(manifest.routes.map((entry) => [entry.id, filesOf(entry, entry.page, structure)]))
  const rootFiles = [...new Set([...filesOf(root, null, structure), ...guardFilesOf(structure)])]
  const routesOf = indexByFile(new Map([...files, ['', rootFiles]]))
  /** The last attempts to load the code that have failed, by the ids of routes; the root has an empty id. */
  const failed = new Map<string, LoadAttempt>()
  const fresh = createFreshCode((id) => failed.delete(id))
  let base = '/'
  const links: Build['links'] = {}

  /** Hands the errors of links over to the site. Without a module that uses `href`, there are none. */
  async function connectLinks() {
    if (!modules.has(BASE_ID)) return
    const { links: ofModules } = await modules.import(BASE_ID)
    Object.assign(Object(ofModules), links)
  }

  /** Imports the page for 404s of a route. If it throws, only the responses that show it fail. */
  async function importNotFound(file: string): Promise<Record<string, unknown>> {
    return await modules.import(file).catch((error: unknown) => {
      const fail = () => {
        throw error
      }
      return { default: fail }
    })
  }

  async function load(id: string, names: readonly string[], routes: Manifest['routes']): Promise<Build> {
    const notFounds = routes.flatMap((route) => route.notFounds.map(({ file }) => file))
    const attempt: LoadAttempt = { loaded: {}, broken: null }
    const { loaded } = attempt
    try {
      for (const file of names) {
        attempt.broken = file
        loaded[file] = await (notFounds.includes(file) ? importNotFound(file) : modules.import(file))
      }
      attempt.broken = null
      await connectLinks()
      const part = { ...manifest, routes }
      return createBuild({ folder, manifest: part, modules: loaded, base, bundles: modules.scripts })
    } catch (error) {
      failed.set(id, attempt)
      throw error
    }
  }

  async function loadWorking(id: string): Promise<Build | null> {
    const attempt = failed.get(id)
    const entry = manifest.routes.find((route) => route.id === id) ?? null
    return attempt ? loadWorkingBuild({ folder, manifest, structure, modules, base, entry, attempt }) : null
  }

  return {
    async open(given) {
      base = given
      const { serverPlugin } = manifest
      const bundle: ServerBundle['modules'] = Object.fromEntries(
        [...structure.exports].map(([file, names]) => [file, createPlaceholders(names)]),
      )
      // A component that cannot be parsed has no known exports.
      for (const { file } of structure.site.components) bundle[file] = { default: UNLOADED, ...bundle[file] }
      if (serverPlugin !== null) bundle[serverPlugin] = await modules.import(serverPlugin)
      return createBuild({ folder, manifest, modules: bundle, links, base, bundles: modules.scripts })
    },
    refreshRoute: (id) =>
      fresh.refresh(id, async () => {
        const entry = manifest.routes.find((route) => route.id === id)
        if (!entry) return null
        return (await load(id, files.get(id) ?? [], [entry])).routes[0] ?? null
      }),
    findWorkingRoute: async (id) => (await loadWorking(id))?.routes[0] ?? null,
    refreshRoot: () => fresh.refresh('', () => load('', rootFiles, [])),
    findWorkingRoot: async () => (await loadWorking(''))?.root ?? null,
    hasFailed: (route) => route !== null && failed.has(route === '*' ? '' : route),
    expire(ids) {
      for (const file of ids) for (const id of routesOf.get(file) ?? []) fresh.expire(id)
    },
  }
}

function indexByFile(filesOfIds: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const index = new Map<string, string[]>()
  for (const [id, files] of filesOfIds) {
    for (const file of files) {
      const ids = index.get(file) ?? []
      ids.push(id)
      index.set(file, ids)
    }
  }
  return index
}

/** @param onLoaded Is called when the current code of an id has been loaded. */
function createFreshCode(onLoaded: (id: string) => void) {
  /** The promises of code that is being loaded; null for fresh code. */
  const fresh = new Map<string, Promise<unknown> | null>()

  function refresh<Code>(id: string, load: () => Promise<Code>): Promise<Code | null> {
    const existing = fresh.get(id)
    // Each id has one type of code.
    if (existing !== undefined) return (existing ?? Promise.resolve(null)) as Promise<Code | null>
    const loading: Promise<Code | null> = load().then(
      (code) => {
        // The code has changed during the loading, so this result is outdated.
        if (fresh.get(id) !== loading) return refresh(id, load)
        fresh.set(id, null)
        onLoaded(id)
        return code
      },
      (error: unknown) => {
        if (fresh.get(id) === loading) fresh.delete(id)
        throw error
      },
    )
    fresh.set(id, loading)
    return loading
  }

  return {
    /** Loads code; null if it is loaded and has not changed. Requests during the loading share its result. */
    refresh,
    /** Makes the next request load the code again. */
    expire: (id: string) => fresh.delete(id),
  }
}

interface LoadAttempt {
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

/** Loads what can be loaded around a page, up to the first broken layout. Rejects if exports are not valid. */
async function loadWorkingBuild(input: WorkingBuildInput): Promise<Build> {
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
const UNLOADED = () => null

const unloadedSchema: StandardSchema = {
  '~standard': { version: 1, vendor: 'hydrant', validate: (value) => ({ value }) },
}

/** The placeholders of exports that are not functions. */
const PLACEHOLDERS = new Map<string, unknown>([
  ['stream', true],
  ['hydrate', false],
  ['cache', { maxAgeS: 0 }],
  ['prerender', undefined],
  ['actions', { unloaded: UNLOADED }],
  ...SCHEMA_EXPORTS.map((name) => [name, unloadedSchema] as const),
])

/** Creates values for the exports of a module that is not loaded. */
function createPlaceholders(names: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, PLACEHOLDERS.has(name) ? PLACEHOLDERS.get(name) : UNLOADED]))
}
