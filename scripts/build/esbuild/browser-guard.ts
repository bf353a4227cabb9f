import { builtinModules } from 'node:module'
import { dirname, relative } from 'node:path'
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild'
import { isInstalled } from './resolve-file.ts'

export interface BrowserGuardDetail {
  kind: 'server-in-browser'
  /** The specifier of the import, or the absolute path of the file that it resolves to. */
  target: string
}

export function isBrowserGuardDetail(detail: unknown): detail is BrowserGuardDetail {
  return typeof detail === 'object' && detail !== null && 'kind' in detail && detail.kind === 'server-in-browser'
}

const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]))
const resolving = Symbol('resolving')

// A file system that ignores case finds `db.server.ts` under the name `db.SERVER.ts`, so every comparison ignores case.

/** Matches modules of any kind, and data: `keys.server.mjs`, `keys.server.json`. */
const SERVER_FILE = /\.server\.(?:[jt]sx?|[cm][jt]s|json|mdx)$/
/** Matches the same files in a folder `db.server` or `.server`. */
const IN_SERVER_FOLDER = /\.server[\\/](?:.*[\\/])?[^\\/]+\.(?:[jt]sx?|[cm][jt]s|json|mdx)$/
/** The names of the files in the site's folder that only the server uses. */
const ROOT_FILES = ['server', 'hydrant.config'].flatMap((name) =>
  ['.ts', '.tsx', '.js', '.jsx'].map((extension) => name + extension),
)

export function isServerFile(siteDir: string, path: string): boolean {
  // The folder of the site itself may have any name.
  const inSite = relative(foldCase(siteDir), foldCase(path))
  const isMarked = SERVER_FILE.test(inSite) || IN_SERVER_FOLDER.test(inSite)
  return (isMarked && !isInstalled(path)) || ROOT_FILES.includes(inSite)
}

// `ſ` is a lower-case letter whose capital is `S`.
const foldCase = (path: string) => path.toUpperCase().toLowerCase()

/** Returns the pattern of a word in any case. Esbuild ignores the flags of a filter. */
const anyCase = (word: string) =>
  word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}${letter === 's' ? 'ſ' : ''}]`)

const SERVER = anyCase('server')
const ROOT = `(${SERVER}|${anyCase('hydrant')}\\.${anyCase('config')})`
const MAY_IMPORT = new RegExp(`(^|/)${ROOT}(\\.\\w+)?$|\\.${SERVER}(\\.\\w+)?$|\\.${SERVER}/`)
const MAY_LOAD = new RegExp(`[.\\\\/]${ROOT}\\.\\w+$|\\.${SERVER}[\\\\/]`)

/** Creates the plugin that refuses server files and Node's modules in the bundles for browsers. */
export function createBrowserGuard(siteDir: string): Plugin {
  return {
    name: 'hydrant-browser-guard',
    setup(build) {
      build.onResolve({ filter: /^hydrant$/ }, () => refuse('hydrant'))
      // An error of `onResolve` has the place of the import.
      build.onResolve({ filter: MAY_IMPORT }, async (args) => {
        if (args.kind === 'entry-point' || args.pluginData === resolving) return null
        const found = await find(build, args)
        return found.errors.length === 0 && found.namespace === 'file' && isServerFile(siteDir, found.path)
          ? refuse(found.path)
          : null
      })
      // Server files that are imported under another name: an alias or a path of tsconfig.json.
      // A filter that matches every module would send the path of each one to this process.
      build.onLoad({ filter: MAY_LOAD, namespace: 'file' }, ({ path }) =>
        isServerFile(siteDir, path) ? refuse(path) : null,
      )
      // A package or an alias may replace a built-in module: refuse it only when nothing else resolves.
      build.onResolve({ filter: /^[a-z][\w:/]*$/ }, async (args) => {
        if (args.pluginData === resolving || !builtins.has(args.path)) return null
        const found = await find(build, args)
        return found.errors.length > 0 || found.external ? refuse(args.path) : null
      })
    },
  }

  function refuse(target: string): OnResolveResult {
    const detail: BrowserGuardDetail = { kind: 'server-in-browser', target }
    return { errors: [{ text: `Browser code must not import ${target}`, detail }] }
  }
}

function find(build: PluginBuild, { path, importer, namespace, resolveDir, kind }: OnResolveArgs) {
  const from = resolveDir === '' ? dirname(importer) : resolveDir
  return build.resolve(path, { importer, namespace, resolveDir: from, kind, pluginData: resolving })
}
