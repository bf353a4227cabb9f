import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin, PluginBuild, ResolveResult } from 'esbuild'
import { filterFor, HYDRANT_FILES, type HydrantFile, hydrantPath, isCompiled, REACT_EXPORTS } from './hydrant-files.ts'
import { BASE_MODULE } from './virtual-modules.ts'

/** Begins the specifiers of Hydrant's modules. Source maps contain them, so they must not depend on the machine. */
const PREFIX = 'hydrant-file:'
const resolving = Symbol('resolving')

/**
 * Imports the client's entry. In every entry and in every module that is imported later, this import makes esbuild put
 * all common code into one chunk. Without it, esbuild makes a chunk for each set of modules with common code: one for
 * React, one for its JSX and one for esbuild's own functions, each with a request and a compression dictionary.
 */
export const COMMON_IMPORT = importOf(HYDRANT_FILES.clientEntry)

/** Returns the statement that imports a module of Hydrant for its effect. Its text does not depend on the machine. */
export function importOf(file: HydrantFile): string {
  return `import ${JSON.stringify(PREFIX + file)}\n`
}

export function exportOf(names: string, file: HydrantFile): string {
  return `export { ${names} } from ${JSON.stringify(PREFIX + file)}\n`
}

/** The modules that the browser imports after the start. */
const LATER_FILES = filterFor(
  HYDRANT_FILES.navigator,
  HYDRANT_FILES.live,
  HYDRANT_FILES.watchDocument,
  HYDRANT_FILES.repair,
  HYDRANT_FILES.report,
)
const { pageHooks, restoredState, useBrowserState, useSubmission } = HYDRANT_FILES
const HOOKS: readonly string[] = [pageHooks, restoredState, useBrowserState, useSubmission].map(hydrantPath)
const JSX_RUNTIME = 'react/jsx-runtime'
const NAMED = 'hydrant-named'
/**
 * The exports of React that every page needs, by module. Named exports avoid property access in a copy of the CommonJS
 * module, which esbuild writes for each file. The list is fixed, because React's exports differ between versions.
 * Hydrant's hooks need other exports, so they import React as a page does.
 */
const NAMES: Record<string, string> = {
  [JSX_RUNTIME]: 'Fragment, jsx, jsxs',
  react: 'addTransitionType, Component, createContext, createRef, startTransition, useContext, useLayoutEffect',
  'react-dom/client': 'hydrateRoot',
}

/** Puts one copy of Hydrant (of the building package) and of React (of the site) into a page, also when linked. */
export function createHydrantModules(siteDir: string): Plugin {
  return {
    name: 'hydrant-modules',
    setup(build) {
      // Entries are imported for their effect, which "sideEffects": false in package.json would deny.
      build.onResolve({ filter: new RegExp(`^${PREFIX}`) }, ({ path }) => {
        const file = Object.values(HYDRANT_FILES).find((file) => path === PREFIX + file)
        return file && { path: hydrantPath(file), sideEffects: true }
      })
      build.onResolve({ filter: /^hydrant\/react$/ }, () => ({
        path: hydrantPath(HYDRANT_FILES.react),
        sideEffects: false,
      }))
      replaceFiles(build)
      resolveReact(build, siteDir)
    },
  }
}

function replaceFiles(build: PluginBuild) {
  // TypeScript adds a function of a kilobyte that rewrites paths, and the URLs of this import need no rewriting.
  build.onLoad({ filter: filterFor(HYDRANT_FILES.importModule) }, () => ({
    contents: 'export const importModule = (url) => import(url)\n',
    loader: 'js',
  }))
  build.onLoad({ filter: filterFor(HYDRANT_FILES.unflatten) }, ({ path }) => ({
    contents: `${COMMON_IMPORT}export { unflatten } from 'devalue'\n`,
    loader: 'js',
    resolveDir: dirname(path),
  }))
  build.onLoad({ filter: LATER_FILES }, async ({ path }) => ({
    contents: COMMON_IMPORT + (await readFile(path, 'utf8')),
    loader: 'js',
    resolveDir: dirname(path),
  }))
  build.onLoad({ filter: filterFor(HYDRANT_FILES.useRestoredState) }, () => ({
    contents: exportOf('useRestoredState', HYDRANT_FILES.restoredState),
    loader: 'js',
  }))
  build.onLoad({ filter: filterFor(HYDRANT_FILES.base) }, () => ({
    contents: `export { base, links } from '${BASE_MODULE}'\n`,
    loader: 'js',
  }))
}

/** Resolves React from the site's folder, wherever it is imported. */
function resolveReact(build: PluginBuild, siteDir: string) {
  const resolved = new Map<string, Promise<ResolveResult>>()
  build.onLoad({ filter: /^/, namespace: NAMED }, ({ path }) => ({
    contents: `export const { ${NAMES[path]} } = require('${path}')\n`,
    loader: 'js',
    resolveDir: siteDir,
  }))
  build.onResolve({ filter: /^react(-dom)?(\/|$)/ }, async ({ path, kind, importer, pluginData }) => {
    if (pluginData === resolving) return null
    const isNamed = path === JSX_RUNTIME || (path in NAMES && isCompiled(importer) && !HOOKS.includes(importer))
    if (isNamed && kind === 'import-statement') return { path, namespace: NAMED, sideEffects: false }
    const pending = resolved.get(path) ?? build.resolve(path, { kind, resolveDir: siteDir, pluginData: resolving })
    resolved.set(path, pending)
    const result = await pending
    return result.errors.length === 0 ? result : null
  })
}

const NAMESPACE = 'hydrant-react'
const resolvingHref = Symbol('resolving')

/** Bundles `href` for the server, with the bundle's base. Other exports are external, as the runtime uses them. */
export function createHrefBinding(siteDir: string): Plugin {
  const others = REACT_EXPORTS.filter((name) => name !== 'href')
  const contents = `export { ${others.join(', ')} } from 'hydrant/react'\nexport { href } from './href.js'\n`
  return {
    name: 'hydrant-href',
    setup(build) {
      build.onResolve({ filter: /^hydrant\/react$/ }, ({ path, namespace, kind, pluginData }) => {
        if (pluginData === resolvingHref) return null
        if (namespace !== NAMESPACE) return { path: 'react', namespace: NAMESPACE, sideEffects: false }
        return build.resolve(path, { kind, resolveDir: siteDir, pluginData: resolvingHref })
      })
      build.onResolve({ filter: /^\.\//, namespace: NAMESPACE }, ({ path }) =>
        path === './base.js' ? { path: BASE_MODULE, namespace: BASE_MODULE } : { path, namespace: NAMESPACE },
      )
      build.onLoad({ filter: /^react$/, namespace: NAMESPACE }, () => ({ contents, loader: 'js' }))
      // In a namespace: esbuild writes the path of a file into the bundle, and this package's path differs by machine.
      build.onLoad({ filter: /^\.\//, namespace: NAMESPACE }, async ({ path }) => ({
        contents: await readFile(join(dirname(hydrantPath(HYDRANT_FILES.href)), path)),
        loader: 'js',
      }))
    },
  }
}
