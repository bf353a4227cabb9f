import type { Plugin } from 'esbuild'
import { ASSETS_PATH } from '../../../src/shared/paths.ts'

export const VIRTUAL = 'hydrant-entry'

/** The name of the browser's entry among the virtual modules. */
export const CLIENT_ENTRY = 'entry'

export interface VirtualModule {
  /** Appears in source maps and messages, so it must not depend on the location of the site. */
  name: string
  contents: string
}

/** Creates the plugin that provides entry modules from text. Their imports are resolved from the site's folder. */
export function createVirtualModules(siteDir: string, modules: readonly VirtualModule[]): Plugin {
  const contents = new Map(modules.map((module) => [module.name, module.contents]))
  return {
    name: 'hydrant-entries',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${VIRTUAL}:`) }, ({ path }) => ({
        path: path.slice(VIRTUAL.length + 1),
        namespace: VIRTUAL,
      }))
      build.onLoad({ filter: /./, namespace: VIRTUAL }, ({ path }) => ({
        contents: contents.get(path) ?? '',
        resolveDir: siteDir,
        loader: 'js',
      }))
    },
  }
}

/** The name of the module that exports the base path of the site. */
export const BASE_MODULE = 'hydrant-base'

/**
 * Returns the source of the base module. It exports `base`, which is empty or a path without a trailing slash, `links`,
 * and on the server also `assets`, the path of the assets' folder. The browser derives the base from the URL of the
 * script, the server from the URL under which the runtime imports the server bundle (`index.mjs?base=%2Fshop`). One
 * build therefore works under any base, and one process can serve several bases. Loads and the top level of modules
 * know the base, which a React context and `AsyncLocalStorage` do not reach. `<base href>` would also change fragments
 * and queries.
 */
export function createBaseModule(target: BundleTarget): string {
  return target === 'browser' ? inBrowser : onServer
}

const up = ASSETS_PATH.slice(1, -1).replace(/[^/]+/g, '..')
const inBrowser = `export const base = new URL('${up}', import.meta.url).pathname.slice(0, -1)
export const links = { report: (error) => reportError(error) }
`

// `URL` escapes the path as the browser does.
const onServer = `const given = new URL(import.meta.url).searchParams.get('base') ?? '/'
export const base = new URL(given, 'http://localhost').pathname.replace(/\\/$/, '')
export const links = {}
export const assets = base + ${JSON.stringify(ASSETS_PATH)}
`

/** Where the modules of a bundle run. It is not the `Side` of a failure, `server` or `client`. */
export type BundleTarget = 'browser' | 'server'

/** Returns the code that exports members of a variable. A name may be any text, so each gets a variable. */
export function exportMembers(object: string, names: readonly string[]): string {
  const constants = names.map((name, index) => `const value${index} = ${object}[${JSON.stringify(name)}]\n`)
  const list = names.map((name, index) => `value${index} as ${JSON.stringify(name)}`)
  return `${constants.join('')}export { ${list.join(', ')} }\n`
}
