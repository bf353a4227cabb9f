// What `hydrant build` writes and the server reads. Both halves of the build's format stand here.

/** Raised when the layout of the build folder or the meaning of a field changes. */
export const MANIFEST_FORMAT = 1

/** The folder that a build is written to, inside the site's folder. */
export const BUILD_FOLDER = '.hydrant'

/** Where things lie inside the build folder. */
export const BUILD_PATHS = {
  manifest: 'manifest.json',
  /** ES module; exports `modules` (see `ServerBundle`). A source map lies beside it. */
  server: 'server/index.mjs',
  /** ES module; default export is the site's configuration, or `{}`. A source map lies beside it. */
  config: 'server/config.mjs',
  /**
   * Hashed files for the browser, flat, with `.br` and `.gz` beside the compressible ones: the build's own and, for
   * pages that are open already, those of the build before it.
   */
  client: 'client',
  /** Which of them are of the build before: `{ "clientFiles": [] }`. Missing when there are none. */
  previous: 'previous.json',
  /** Source maps of the client files, those of the last builds included: `<file>.map`. Never served. */
  clientMaps: 'maps',
  /** Which builds before this one have their maps here: `{ "builds": [{ "buildId", "maps" }] }`, the latest first. */
  keptBuilds: 'kept/builds.json',
  /** The server bundle of a build before this one, for its source map, which lies beside it. */
  keptServer: (buildId: string) => `kept/${buildId}.mjs`,
  /** A copy of the site's `public/`, without dot files other than those in `.well-known/`. */
  public: 'public',
} as const

/** The one folder of `public/` whose name begins with a dot and that is served (https://www.rfc-editor.org/rfc/rfc8615). */
export const WELL_KNOWN = '.well-known'

/** How React and the site's code are compiled. */
export type Mode = 'production' | 'development'

export interface Manifest {
  format: typeof MANIFEST_FORMAT
  /** Version of the hydrant package that wrote the build. */
  hydrant: string
  /** Hash over everything that the build holds. */
  buildId: string
  mode: Mode
  /** Name of the script that starts the browser side, in the client folder. */
  entry: string
  /** What the entry imports statically, as file names. */
  entryImports: string[]
  /** What reads data that JSON cannot say, and what that imports: loaded for such data. File names. */
  dataReader: string[]
  /** In the order of their URLs. */
  routes: RouteEntry[]
  /** What belongs to the site's root, for requests that no page answers. */
  root: Surroundings
  /** Browser files of each page, layout, error and not-found file, by its path in the site. */
  modules: Record<string, ClientModule>
  /** Is there a `server.ts`? Its path in the site. */
  serverPlugin: string | null
  /** The build's own files in the client folder, without compressed copies, sorted. */
  clientFiles: string[]
  /** Paths below `public/`, with forward slashes, sorted. */
  publicFiles: string[]
}

/** The files that surround a page, each by its path in the site (`pages/products/layout.tsx`). */
export interface Surroundings {
  /** Outermost first. */
  layouts: string[]
  /** Outermost first; `level` counts the layouts around it. */
  errors: LevelledFile[]
  notFounds: LevelledFile[]
}

export interface LevelledFile {
  file: string
  level: number
}

export interface RouteEntry extends Surroundings {
  /** As the site developer writes it: `/products/[id]`. */
  id: string
  /** As Fastify's router takes it: `/products/:id`, `/docs/*`. */
  url: string
  /** Name of the catch-all parameter that Fastify calls `*`. */
  catchAll: string | null
  /** `pages/products/[id].tsx` */
  page: string
}

export interface ClientModule {
  /** The module's own file. */
  js: string
  /** What it imports statically, as file names, without the entry's own imports. */
  imports: string[]
  /** Stylesheets, in order. */
  css: string[]
}

/** What the server bundle exports. */
export interface ServerBundle {
  /** By path in the site: pages, layouts, errors, not-founds, their `.server` files and `server.ts`. */
  modules: Record<string, Record<string, unknown>>
}

/** The path of the server file that belongs to a page or layout, whether it exists or not. */
export function serverFileKeys(file: string): string[] {
  const stem = file.replace(/\.[jt]sx?$/, '')
  return ['.server.ts', '.server.tsx', '.server.js', '.server.jsx'].map((end) => stem + end)
}

/** What a page's `.server` file may export. */
export const PAGE_SERVER_EXPORTS = ['load', 'action', 'stream'] as const
/** What a layout's `.server` file may export. */
export const LAYOUT_SERVER_EXPORTS = ['load'] as const
