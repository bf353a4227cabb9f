import { builtinModules } from 'node:module'
import { dirname, resolve } from 'node:path'
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild'

/** What the plugin attaches to its messages. */
export interface BrowserGuardDetail {
  kind: 'server-in-browser'
  /** What was imported, as a reader of the site knows it. */
  target: string
}

export function isBrowserGuardDetail(detail: unknown): detail is BrowserGuardDetail {
  return typeof detail === 'object' && detail !== null && 'kind' in detail && detail.kind === 'server-in-browser'
}

const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]))
const resolving = Symbol('resolving')

/** Refuses what only the server has, where a browser module imports it. */
export function createBrowserGuard(siteDir: string, serverOnly: readonly string[]): Plugin {
  const serverFiles = new Set(serverOnly.map((file) => resolve(siteDir, file)))
  const isServerFile = (path: string) =>
    (/\.server\.[jt]sx?$/.test(path) && !path.includes('/node_modules/')) || serverFiles.has(path)

  return {
    name: 'hydrant-browser-guard',
    setup(build) {
      build.onResolve({ filter: /^hydrant$/ }, () => refuse('hydrant'))
      // At the import, so that the message can say where it stands.
      build.onResolve({ filter: /(^|\/)(server|hydrant\.config)(\.[jt]sx?)?$|\.server(\.[jt]sx?)?$/ }, async (args) => {
        if (args.kind === 'entry-point' || args.pluginData === resolving) return null
        const found = await find(build, args)
        return found.errors.length === 0 && found.namespace === 'file' && isServerFile(found.path)
          ? refuse(found.path)
          : null
      })
      // Whatever was reached under another name: an alias, a path of tsconfig.json.
      build.onLoad({ filter: /\.[jt]sx?$/, namespace: 'file' }, ({ path }) =>
        isServerFile(path) ? refuse(path) : null,
      )
      // A package or an alias may stand in for a builtin: only what nothing answers to is refused.
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
