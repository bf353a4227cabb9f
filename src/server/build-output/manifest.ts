import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// The format of a build, which `hydrant build` writes and the server reads.

/** Increased when the structure of the build folder or the meaning of a field changes. */
export const MANIFEST_FORMAT = 1

/** The folder that a build is written to, inside the site's folder. */
export const BUILD_FOLDER = '.hydrant'

/** The name of the declaration file that a build writes into the site's folder, where every tsconfig.json finds it. */
export const ROUTE_TYPES_FILE = 'hydrant-env.d.ts'

/** Paths inside the build folder. */
export const BUILD_PATHS = {
  manifest: 'manifest.json',
  /** An ES module that exports `modules` (see `ServerBundle`). Its source map is next to it. */
  server: 'server/index.mjs',
  /** An ES module whose default export is the site's configuration, or `{}`. Its source map is next to it. */
  config: 'server/config.mjs',
  /** Files with hashed names for browsers, some with `.br` and `.gz` copies, also of earlier builds. */
  client: 'client',
  /**
   * The client files of earlier builds, the last one first: `{ "builds": [{ "clientFiles": [] }] }`. Missing if there are
   * none.
   */
  previous: 'previous.json',
  /** Source maps of the client files, including those of recent builds: `<file>.map`. Never served. */
  clientMaps: 'maps',
  /** The earlier builds whose maps are kept: `{ "builds": [{ "buildId", "maps" }] }`, the latest first. */
  keptBuilds: 'kept/builds.json',
  /**
   * A copy of the server bundle of this build or an earlier one, with its source map next to it. A build that is copied
   * over this one does not replace it, so failures in servers that still run this build lead to their lines.
   */
  keptServer: (buildId: string) => `kept/${buildId}.mjs`,
  /** A copy of the site's `public/`. Of files and folders whose names begin with a dot, it has only `.well-known/`. */
  public: 'public',
} as const

/**
 * The only folder of `public/` with a dot at the beginning of its name that is served
 * (https://www.rfc-editor.org/rfc/rfc8615).
 */
export const WELL_KNOWN = '.well-known'

/** How React and the site's code are compiled. */
export type Mode = 'production' | 'development'

export interface Manifest {
  format: typeof MANIFEST_FORMAT
  /** Version of the hydrant package that wrote the build. */
  hydrant: string
  /** Hash of the whole content of the build. */
  buildId: string
  mode: Mode
  /** File name of the client's entry script. */
  entry: string
  /** File names of the scripts that the entry imports statically. */
  entryImports: string[]
  /**
   * File names of the script that reads data which JSON cannot express, and of its imports. Loaded only for such data.
   */
  dataReader: string[]
  /** Sorted by URL. */
  routes: RouteEntry[]
  /** The files at the site's root, for requests that do not match a page. */
  root: Surroundings
  /** Browser files of each page, layout, error and not-found file, by its path in the site. */
  modules: Record<string, ClientModule>
  /** Path of `server.ts` in the site; null if there is none. */
  serverPlugin: string | null
  /**
   * Where functions of the site are in its source (`pages/cart.server.ts:12`): of exports by `<file> <name>`, and of functions
   * of `perRequest` by the line and the column of the call in the server bundle. Missing in earlier builds.
   */
  places?: Record<string, string>
  /** The build's own files in the client folder, without compressed copies, sorted. */
  clientFiles: string[]
  /** Paths below `public/`, with forward slashes, sorted. */
  publicFiles: string[]
}

/** The files that surround a page, each by its path in the site (`pages/products/layout.tsx`). */
export interface Surroundings {
  /** Outermost first. */
  layouts: string[]
  /** Outermost first. `level` is the number of layouts around the file. */
  errors: LeveledFile[]
  notFounds: LeveledFile[]
}

export interface LeveledFile {
  file: string
  level: number
}

export interface RouteEntry extends Surroundings {
  /** In the site's spelling: `/products/[id]`. */
  id: string
  /** In the spelling of Fastify's router: `/products/:id`, `/docs/*`. */
  url: string
  /** Name of the catch-all parameter, which Fastify calls `*`; null if there is none. */
  catchAll: string | null
  /** Path in the site: `pages/products/[id].tsx`. */
  page: string
}

export interface ClientModule {
  /** File name of the module's script. */
  js: string
  /** File names of its static imports, without those of the entry. */
  imports: string[]
  /** File names of its stylesheets, in order. */
  css: string[]
}

export interface ServerBundle {
  /** Pages, layouts, error and not-found pages, their `.server` files and `server.ts`, by path in the site. */
  modules: Record<string, Record<string, unknown>>
  /** See `src/shared/base.ts` (none). */
  links?: { report?: ((error: TypeError) => void) | undefined } | undefined
}

/** Returns the paths that the server file of a page or layout can have. */
export function serverFileKeys(file: string): string[] {
  const stem = file.replace(/\.(?:[jt]sx?|mdx)$/, '')
  return ['.server.ts', '.server.tsx', '.server.js', '.server.jsx'].map((end) => stem + end)
}

/** The exports that a page's `.server` file may have. */
export const PAGE_SERVER_EXPORTS = [
  'guard',
  'load',
  'action',
  'actions',
  'form',
  'search',
  'params',
  'stream',
  'revalidate',
  'cache',
  'prerender',
  'live',
  'loadVisitor',
] as const
/** The exports that a layout's `.server` file may have. */
export const LAYOUT_SERVER_EXPORTS = ['guard', 'load', 'live'] as const

/** A bundle that this process has imported. */
export interface MappedBundle {
  /** The path that it was imported from. */
  path: string
  /** Returns where the bundle and its source map are now; null if the file in its place belongs to another build. */
  findFile(): string | null
  /** Returns the source map with the fields of `ServerMapFields`. Left out when the file has them. */
  completeMap?(): string
  /** Returns whether it may contain a file of the site, or a text. Left out for a bundle of a whole site. */
  mayHave?(part: { file: string } | { text: string }): boolean
}

/** Returns the bundles of a build. If a newer one has replaced it, the folder keeps only its server bundle. */
export function ownBundles(folder: string, buildId: string): MappedBundle[] {
  const config = join(folder, BUILD_PATHS.config)
  const kept = join(folder, BUILD_PATHS.keptServer(buildId))
  return [
    { path: join(folder, BUILD_PATHS.server), findFile: () => (existsSync(kept) ? kept : null) },
    { path: config, findFile: () => (currentBuildId(folder) === buildId ? config : null) },
  ]
}

/** Whether the folder contains, or keeps, the server bundle of the build with an id. */
export function isBuildOf(folder: string, buildId: string): boolean {
  return BUILD_ID.test(buildId) && existsSync(join(folder, BUILD_PATHS.keptServer(buildId)))
}

// Clients choose the id, and it becomes part of a path.
const BUILD_ID = /^[\da-f]{1,64}$/

function currentBuildId(folder: string): unknown {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, BUILD_PATHS.manifest), 'utf8'))
    return typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'buildId') : null
  } catch {
    return null
  }
}
