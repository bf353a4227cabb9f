import { dirname, join, posix } from 'node:path'
import { ASSETS_PATH, withBase } from '../../shared/paths.ts'
import type { ErrorComponent, LayoutComponent, NotFoundComponent, PageComponent } from '../../shared/tree/app-tree.tsx'
import { DefaultLayout } from '../../shared/tree/boundary.tsx'
import type { BootModule } from '../../shared/wire/boot.ts'
import { createPageSchemas, type PageSchemas } from '../schemas/page-schemas.ts'
import { computeOnce } from '../util/memoize.ts'
import { type CacheRule, PERMANENT, type PrerenderRule, readCacheRule, readPrerenderRule } from './cache-rule.ts'
import { createGuardedFolders, type GuardedFolder, type GuardFunction } from './guarded-folders.ts'
import {
  BUILD_PATHS,
  type Manifest,
  type MappedBundle,
  ownBundles,
  type RouteEntry,
  type ServerBundle,
  type Surroundings,
  serverFileKeys,
} from './manifest.ts'
import {
  actionsOf,
  componentOf,
  guardOf,
  isHydrated,
  type LiveFunction,
  type LoadFunction,
  liveOf,
  loadOf,
  type ModuleExports,
  type PageActions,
  visitorLoadOf,
} from './module-exports.ts'
import { importBundle } from './read-build.ts'

/** A module of the site that also runs in the browser. */
export interface SiteModule<Component> {
  /** Path in the site; null for Hydrant's default layout. */
  file: string | null
  Component: Component
  boot: BootModule
  css: readonly string[]
  /** URLs of the module's script and of the scripts that it imports. */
  scripts: readonly string[]
}

export interface ServerModule<Component> extends SiteModule<Component> {
  guard: GuardFunction | null
  load: LoadFunction | null
  live: LiveFunction | null
  /** Path in the site of the server file. */
  serverFile: string
}

/** The layouts around a page, with the pages that replace it in case of an error. */
export interface LayoutChain {
  /** Outermost first; never empty, the first renders `<html>`. */
  layouts: readonly ServerModule<LayoutComponent>[]
  /** For each layout, the nearest error page for failures inside it. */
  errorPages: readonly (SiteModule<ErrorComponent> | null)[]
  /** The nearest 404 page. */
  notFound: SiteModule<NotFoundComponent> | null
}

export interface Route extends LayoutChain, PageActions {
  id: string
  url: string
  catchAll: string | null
  page: ServerModule<PageComponent>
  /** False if the page must be sent complete. */
  canStream: boolean
  schemas: PageSchemas
  /** False if the page's actions change nothing that a page shows. */
  revalidates: boolean
  /** False if the page's documents have no scripts. */
  isHydrated: boolean
  /** How responses are stored; null for a page that is rendered for each request. */
  cache: CacheRule | null
  /** Which addresses the build renders; null for none. A page with it has a `cache` too. */
  prerender: PrerenderRule | null
  /** Loads the visitor's data, for a page whose other parts are stored; null for a page without such parts. */
  loadVisitor: LoadFunction | null
  /** Whether the page, or a layout around it, has topics: see the export `live`. A page of the build does not change. */
  isLive: boolean
}

/** A build that is ready to serve, for one base. */
export interface Build {
  manifest: Manifest
  folder: string
  siteDir: string
  routes: readonly Route[]
  /** For requests that do not match a page. */
  root: LayoutChain
  /** The folders with guards that also run for unknown paths below them, outermost first. */
  guardedFolders: readonly GuardedFolder[]
  /** URLs of the client's entry script and of the scripts that it imports. */
  entry: { url: string; imports: readonly string[] }
  /** URLs of the scripts that a browser loads for data that JSON cannot express. */
  dataReader: readonly string[]
  /** Receives the errors of links in the modules. */
  links: NonNullable<ServerBundle['links']>
  /** The default export of the site's `server.ts`; null if there is none. */
  serverPlugin: unknown
  /** See `Manifest.places`. */
  places: Readonly<Record<string, string>>
  /** Bundles whose stack frames are mapped to the site's source. */
  bundles: readonly MappedBundle[]
}

export interface BuildFiles {
  /** The build's folder. */
  folder: string
  manifest: Manifest
  /** The modules of its server bundle, if they are loaded already (those in the folder). */
  modules?: ServerBundle['modules']
}

/** Loads the site's code for one base. Throws HYD_BUILD_BROKEN if a module throws, and as `createBuild`. */
export async function loadBuild({ folder, manifest, modules: loaded }: BuildFiles, base: string): Promise<Build> {
  if (loaded) return createBuild({ folder, manifest, modules: loaded, base, bundles: [] })
  const query = `?base=${encodeURIComponent(base)}&build=${manifest.buildId}`
  const bundlePath = join(folder, BUILD_PATHS.server)
  // The build writes a module of this type.
  const { modules, links } = (await importBundle(bundlePath, query, 'the server bundle')) as unknown as ServerBundle
  return createBuild({ folder, manifest, modules, links, base, bundles: ownBundles(folder, manifest.buildId) })
}

export interface BuildParts extends ServerBundle, Omit<BuildFiles, 'modules'> {
  base: string
  /** Bundles whose stack frames are mapped to the site's source. */
  bundles: readonly MappedBundle[]
}

/**
 * Returns the build that consists of a manifest and the modules that it names. Throws HYD_FUNCTION_EXPORT,
 * HYD_ACTIONS_EXPORT, HYD_GUARD_EXPORT, HYD_COMPONENT_EXPORT, HYD_HYDRATE_EXPORT, HYD_VISITOR_LOAD, HYD_CACHE_INVALID, HYD_SCHEMA_INVALID
 * and HYD_PRERENDER_INVALID for an export that is not valid.
 */
export function createBuild({ folder, manifest, modules, links = {}, base, bundles }: BuildParts): Build {
  const site = createModuleReader(manifest, modules, withBase(base, ASSETS_PATH))
  return {
    manifest,
    folder,
    siteDir: dirname(folder),
    root: site.frame(manifest.root),
    guardedFolders: createGuardedFolders(Object.keys(manifest.modules), base, site.loaded),
    routes: manifest.routes.map((entry) => {
      const server = site.serverModule(entry.page)
      const { file, exports } = server
      const page = { file: entry.page, exports: modules[entry.page] ?? {} }
      const frame = site.frame(entry)
      const loaded = site.loaded<PageComponent>(entry.page)
      const storing = storingOf(server, page, entry)
      return {
        ...frame,
        id: entry.id,
        url: entry.url,
        catchAll: entry.catchAll,
        page: loaded,
        ...actionsOf(server),
        canStream: exports.stream !== false,
        schemas: createPageSchemas(exports, file),
        revalidates: exports.revalidate !== false,
        isHydrated: isHydrated(page),
        ...storing,
        loadVisitor: visitorLoadOf(server),
        isLive: storing.prerender === null && [loaded, ...frame.layouts].some(({ live }) => live !== null),
      }
    }),
    entry: site.entry,
    dataReader: manifest.dataReader.map((name) => withBase(base, ASSETS_PATH) + name),
    links,
    serverPlugin: manifest.serverPlugin === null ? null : modules[manifest.serverPlugin]?.default,
    places: manifest.places ?? {},
    bundles,
  }
}

function createModuleReader(manifest: Manifest, modules: ServerBundle['modules'], assets: string) {
  function module<Component>(file: string): SiteModule<Component> {
    const client = manifest.modules[file]
    const css = client?.css ?? []
    return {
      file,
      // The build has checked that there is a default export.
      Component: componentOf({ file, exports: modules[file] ?? {} }) as Component,
      boot: { file: client?.js ?? null, ...(css.length > 0 ? { css } : {}) },
      css: css.map((name) => assets + name),
      scripts: client ? [client.js, ...client.imports].map((name) => assets + name) : [],
    }
  }

  function serverModule(file: string): ModuleExports {
    const key = serverFileKeys(file).find((candidate) => modules[candidate])
    return { file: key ?? file, exports: (key && modules[key]) || {} }
  }

  function loaded<Component>(file: string): ServerModule<Component> {
    const server = serverModule(file)
    const functions = { guard: guardOf(server), load: loadOf(server), live: liveOf(server) }
    return { ...module<Component>(file), ...functions, serverFile: server.file }
  }

  function loadedLayout(file: string): ServerModule<LayoutComponent> {
    const layout = loaded<LayoutComponent>(file)
    const params = [...posix.dirname(file).matchAll(/\[(?:\.\.\.)?([^\]]+)\]/g)].map(([, name = '']) => name)
    const route = `/${posix.dirname(file).slice('pages/'.length)}`
    return { ...layout, boot: { ...layout.boot, route, ...(params.length > 0 && { params }) } }
  }

  function createFrame({ layouts, errors, notFounds }: Surroundings): LayoutChain {
    const siteLayouts = layouts.map(loadedLayout)
    const hasRoot = layouts[0] !== undefined && posix.dirname(layouts[0]) === 'pages'
    const all = hasRoot ? siteLayouts : [builtInLayout, ...siteLayouts]
    const notFound = notFounds.at(-1)
    return {
      layouts: all,
      errorPages: all.map((_, index) => {
        const nearest = errors.findLast(({ level }) => level <= index + 1)
        return nearest ? module<ErrorComponent>(nearest.file) : null
      }),
      notFound: notFound ? module<NotFoundComponent>(notFound.file) : null,
    }
  }

  // The pages of a folder share their frame.
  const frameOf = computeOnce((key: string) => createFrame(JSON.parse(key) as Surroundings))
  const frame = ({ layouts, errors, notFounds }: Surroundings) =>
    frameOf(JSON.stringify({ layouts, errors, notFounds } satisfies Surroundings))
  const entry = { url: assets + manifest.entry, imports: manifest.entryImports.map((name) => assets + name) }
  return { frame, loaded, serverModule, entry }
}

function storingOf(
  server: ModuleExports,
  page: ModuleExports,
  { url }: RouteEntry,
): Pick<Route, 'cache' | 'prerender'> {
  const prerender = readPrerenderRule(server, page, /[:*]/.test(url))
  return { prerender, cache: prerender ? PERMANENT : readCacheRule(server.exports, server.file) }
}

const builtInLayout: ServerModule<LayoutComponent> = {
  file: null,
  Component: DefaultLayout,
  boot: { file: null },
  css: [],
  scripts: [],
  guard: null,
  load: null,
  live: null,
  serverFile: '',
}

/** A build whose code changes. Its components are placeholders until the first request of their route. */
export interface LiveBuild {
  open(base: string): Promise<Build>
  /** Returns a route's current code; null if it has not changed. Rejects with what its modules throw. */
  refreshRoute(id: string): Promise<Route | null>
  /**
   * Returns the layouts and error pages of a route that can be loaded, after `refreshRoute` has rejected. The layouts end
   * at the first one that cannot be loaded, and the page has placeholders. Null if there is no such route. Rejects if the
   * exports of the layouts are not valid.
   */
  findWorkingRoute(id: string): Promise<Route | null>
  /** Returns the current code for requests that match no page; null if it has not changed since the last call. */
  refreshRoot(): Promise<Pick<Build, 'root' | 'guardedFolders'> | null>
  /**
   * Returns the layouts and error pages that can be loaded for requests that match no page, after `refreshRoot` has
   * rejected; null if it has not. The layouts end at the first one that cannot be loaded. Rejects if the exports of the
   * layouts are not valid.
   */
  findWorkingRoot(): Promise<LayoutChain | null>
  /** Returns the page that says why a route, or '' for unknown paths, cannot be built; null if it can. */
  brokenPage(id: string): string | null
}
