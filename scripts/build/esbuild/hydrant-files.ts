import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { PACKAGE_FOLDER } from '../../../src/server/util/paths.ts'

/** The folder of this package's compiled sources. esbuild reports paths with symbolic links resolved. */
const FOLDER = realpathSync(join(PACKAGE_FOLDER, 'dist', 'src'))

/** The paths, in the folder of the compiled sources, of the modules that the build treats in a special way. */
export const HYDRANT_FILES = {
  /** Starts the browser's side. */
  clientEntry: 'client/entry.js',
  /** Runs before React, in development only. */
  devPreamble: 'client/dev/preamble.js',
  /** The script of the page for a site that does not build, in development only. */
  errorPage: 'client/dev/error-page.js',
  /** Replaced by an `import()` without TypeScript's rewriting of paths. */
  importModule: 'client/import-module.js',
  /** `hydrant/react`. */
  react: 'shared/react.js',
  /** Bundled for the server as well, because it depends on the base. */
  href: 'shared/href.js',
  /** Replaced by the base of the site. */
  base: 'shared/base.js',
  /** Imported when the data of a page needs it. */
  unflatten: 'shared/wire/unflatten.js',
  /** Imported by the browser for the first navigation. */
  navigator: 'client/navigator.js',
  /** Imported by the browser for the first live page. */
  live: 'client/live.js',
  /** Imported by the browser when a document arrives in parts. */
  watchDocument: 'client/watch-document.js',
  /** Imported by the browser when a translation has changed the page. */
  repair: 'client/repair.js',
  /** Imported by the browser for the first failure. */
  report: 'client/report.js',
  /** Part of the modules of pages with a form. */
  fields: 'shared/tree/fields.js',
  /** Hooks, which only some pages import. */
  useBrowserState: 'shared/tree/use-browser-state.js',
  useSubmission: 'shared/tree/use-submission.js',
  pageHooks: 'shared/tree/page-hooks.js',
  /** Replaced by the module below. */
  useRestoredState: 'shared/tree/use-restored-state.js',
  restoredState: 'client/restored-state.js',
} as const

export type HydrantFile = (typeof HYDRANT_FILES)[keyof typeof HYDRANT_FILES]

/** Returns the absolute path of a compiled module of this package. */
export function hydrantPath(file: HydrantFile): string {
  return join(FOLDER, file)
}

export function isCompiled(path: string): boolean {
  return path.startsWith(FOLDER + sep)
}

/** Returns whether an absolute path is a module of this package, compiled or as its source maps name it. */
export function isHydrantPath(path: string): boolean {
  return isCompiled(path) || path.startsWith(join(FOLDER, '../../src') + sep)
}

/** Returns an esbuild filter that matches these modules of this package, and no modules of a site with such a path. */
export function filterFor(...files: readonly HydrantFile[]): RegExp {
  const paths = files.map((file) => hydrantPath(file).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^(?:${paths.join('|')})$`)
}

/** What `hydrant` exports, without its types. A build loads neither the server nor React. */
export const HYDRANT_EXPORTS = [
  'HttpError',
  'addDraining',
  'createServer',
  'default',
  'defineConfig',
  'digestOf',
  'hydrant',
  'invalidForm',
  'localPath',
  'notFound',
  'parseDigest',
  'perRequest',
  'redirect',
  'rewriteUrl',
]

export const REACT_EXPORTS = [
  'FailureBoundary',
  'Image',
  'href',
  'prefetch',
  'publicEnv',
  'refresh',
  'useLayoutData',
  'useLive',
  'useNavigation',
  'useParams',
  'useRestoredState',
  'useSubmission',
  'useUrl',
]
