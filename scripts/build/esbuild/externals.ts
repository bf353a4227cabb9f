import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin, ResolveResult } from 'esbuild'

const resolving = Symbol('resolving')
const builtins = new Set(builtinModules)

export interface ExternalsOptions {
  siteDir: string
  alias: Record<string, string>
  /** Extensions of what Node cannot load and the build can, without dots: stylesheets and assets. */
  bundled: readonly string[]
}

/**
 * Leaves packages to Node, which finds them from the build folder as from the site's. What Node could not load or not
 * find from there is bundled: stylesheets and assets, TypeScript of a linked workspace package, paths of
 * tsconfig.json, and what only a linked package has installed.
 */
export function createExternals({ siteDir, alias, bundled }: ExternalsOptions): Plugin {
  const findPackage = createPackageFinder(siteDir)
  const isBundled = new RegExp(`\\.(${bundled.join('|')})([?#].*)?$`, 'i')

  return {
    name: 'hydrant-externals',
    setup(build) {
      const linked = new Map<string, Promise<ResolveResult>>()
      build.onStart(() => {
        findPackage.forget()
        linked.clear()
      })
      build.onResolve({ filter: /^[^./#]/ }, async (args) => {
        if (args.pluginData === resolving || args.kind === 'entry-point') return null
        const path = applyAlias(alias, args.path)
        if (/^(node|data|https?):/.test(path) || builtins.has(path)) return { path, external: true }
        if (/^[./]/.test(path) || isBundled.test(path)) return null
        switch (findPackage.find(packageName(path))) {
          case 'installed':
            return { path, external: true }
          case 'linked': {
            const { importer, namespace, resolveDir, kind } = args
            const known =
              linked.get(path) ??
              build.resolve(args.path, { importer, namespace, resolveDir, kind, pluginData: resolving })
            linked.set(path, known)
            const found = await known
            if (found.errors.length > 0 || found.external) return { path, external: true }
            return /\.([cm]?ts|[jt]sx)$/.test(found.path) ? null : { path, external: true }
          }
          default:
            return null
        }
      })
    },
  }
}

/** Applies esbuild's own rule: the longest key that is the whole path or is followed by a slash. */
export function applyAlias(alias: Record<string, string>, path: string): string {
  const key = Object.keys(alias)
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0]
  return key === undefined ? path : `${alias[key]}${path.slice(key.length)}`
}

function packageName(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/')
}

type Found = 'installed' | 'linked' | null

/** Looks where Node would look. `linked` is a package whose files lie outside every node_modules. */
function createPackageFinder(siteDir: string): { find(name: string): Found; forget(): void } {
  const known = new Map<string, Found>()

  function look(name: string): Found {
    for (let folder = siteDir; ; folder = dirname(folder)) {
      const candidate = join(folder, 'node_modules', name)
      if (existsSync(candidate))
        return realpathSync(candidate).includes(`${join('/', 'node_modules', '/')}`) ? 'installed' : 'linked'
      if (dirname(folder) === folder) break
    }
    return ownPackageName(siteDir) === name ? 'linked' : null
  }

  return {
    find(name) {
      const found = known.get(name) ?? look(name)
      known.set(name, found)
      return found
    },
    // A package may be installed between two builds.
    forget: () => known.clear(),
  }
}

/** A package may import itself by name (Node's self-referencing). */
function ownPackageName(siteDir: string): unknown {
  for (let folder = siteDir; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) {
      const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
      return typeof parsed === 'object' && parsed !== null && 'name' in parsed ? parsed.name : undefined
    }
    if (dirname(folder) === folder) return undefined
  }
}
