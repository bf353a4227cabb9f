import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin, ResolveResult } from 'esbuild'
import { BASE_MODULE } from './base-module.ts'

const resolving = Symbol('resolving')

/** Where this package's browser scripts lie once it is built. */
export const ownFile = (path: string) => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url))

/**
 * esbuild makes a chunk for each set of modules that share something: one for React, one for its JSX and one for its own
 * functions, each a request and a dictionary. With this in every module there is one, with all that each page loads, and
 * what is loaded later takes from there what it has in common with it.
 */
export const COMMON_IMPORT = "import 'hydrant-client/entry.js'\n"

const UNFLATTEN_FILE = /[\\/]src[\\/]shared[\\/]wire[\\/]unflatten\.js$/
const LATER_FILES = /[\\/]src[\\/]client[\\/](?:navigator|stalled-document|report)\.js$/
const BASE_FILE = /[\\/]src[\\/]shared[\\/]base\.js$/
const IMPORT_MODULE = /[\\/]src[\\/]client[\\/]import-module\.js$/
const JSX_RUNTIME = 'react/jsx-runtime'
const NAMED = 'hydrant-named'
// By name, where a bundler would look each up, in a copy of the CommonJS module that it makes for each file. Of React
// itself, whose exports differ from version to version, those that every page needs: the hooks that a page imports from
// Hydrant (use-….ts) come with its own imports of React.
const NAMES: Record<string, string> = {
  [JSX_RUNTIME]: 'Fragment, jsx, jsxs',
  react: 'Component, createContext, createRef, startTransition, useContext, useLayoutEffect',
  'react-dom/client': 'hydrateRoot',
}
const HOOK = /[\\/]use-[a-z]+\.js$/
const importModule = 'export const importModule = (url) => import(url)\n'

/**
 * Sees to it that a page holds each once: Hydrant's own modules are those of the package that builds, React is the
 * site's, however the two are linked together.
 */
export function createOwnModules(siteDir: string): Plugin {
  return {
    name: 'hydrant-own-modules',
    setup(build) {
      // Entries are imported for their effect, which the package's "sideEffects": false would deny.
      build.onResolve({ filter: /^hydrant-client\// }, ({ path }) => ({
        path: ownFile(path.replace(/^hydrant-client/, 'client')),
        sideEffects: true,
      }))
      build.onResolve({ filter: /^hydrant\/react$/ }, () => ({ path: ownFile('shared/react.js'), sideEffects: false }))
      // TypeScript has put a function into it that looks at paths; there is nothing to look at, and it is a kilobyte.
      build.onLoad({ filter: IMPORT_MODULE }, () => ({ contents: importModule, loader: 'js' }))
      build.onLoad({ filter: UNFLATTEN_FILE }, ({ path }) => ({
        contents: `${COMMON_IMPORT}export { unflatten } from 'devalue'\n`,
        loader: 'js',
        resolveDir: dirname(path),
      }))
      build.onLoad({ filter: LATER_FILES }, async ({ path }) => ({
        contents: COMMON_IMPORT + (await readFile(path, 'utf8')),
        loader: 'js',
        resolveDir: dirname(path),
      }))
      build.onLoad({ filter: BASE_FILE }, () => ({ contents: `export { base } from '${BASE_MODULE}'\n`, loader: 'js' }))
      const found = new Map<string, Promise<ResolveResult>>()
      build.onStart(() => found.clear())
      build.onLoad({ filter: /^/, namespace: NAMED }, ({ path }) => ({
        contents: `export const { ${NAMES[path]} } = require('${path}')\n`,
        loader: 'js',
        resolveDir: siteDir,
      }))
      build.onResolve({ filter: /^react(-dom)?(\/|$)/ }, async ({ path, kind, importer, pluginData }) => {
        if (pluginData === resolving) return null
        const isNamed =
          path === JSX_RUNTIME || (path in NAMES && importer.startsWith(ownFile('')) && !HOOK.test(importer))
        if (isNamed && kind === 'import-statement') {
          return { path, namespace: NAMED, sideEffects: false }
        }
        const known = found.get(path) ?? build.resolve(path, { kind, resolveDir: siteDir, pluginData: resolving })
        found.set(path, known)
        const result = await known
        return result.errors.length === 0 ? result : null
      })
    },
  }
}
