import { type Build, createBuild, type LiveBuild } from '../../../src/server/build-output/load-build.ts'
import type { Manifest, ServerBundle } from '../../../src/server/build-output/manifest.ts'
import { BASE_MODULE } from '../../build/esbuild/virtual-modules.ts'
import type { ServerModules } from '../modules/server/server-modules.ts'
import { filesOf } from './dev-manifest.ts'
import type { SiteStructure } from './read-structure.ts'
import { guardFilesOf } from './site-revisions.ts'
import { createPlaceholders, type LoadAttempt, loadWorkingBuild, UNLOADED } from './working-build.ts'

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

/** The id of the module from which `href` has the base. */
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

  /**
   * Imports the page for 404s of a route. If it throws, only the responses that show it fail, and not the page itself.
   */
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

/** Returns the ids that have each file. */
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
    /**
     * Loads code. Resolves with null if it is fresh: it has been loaded and has not changed since. Requests that arrive
     * during the loading share its result.
     */
    refresh,
    /** Makes the next request load the code again. */
    expire: (id: string) => fresh.delete(id),
  }
}
