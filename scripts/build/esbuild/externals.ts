import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin, ResolveResult } from 'esbuild'

const resolving = Symbol('resolving')
const builtins = new Set(builtinModules)

export interface ExternalsOptions {
  siteDir: string
  alias: Record<string, string>
  /** Extensions, without dots, of the files that only the build can load: stylesheets and assets. */
  bundled: readonly string[]
}

/**
 * Creates the plugin that leaves packages out of the bundle: Node finds them from the build folder as it does from the
 * site's. Modules that Node could not load or not find are bundled: stylesheets and assets, TypeScript of a linked
 * workspace package, paths of tsconfig.json, and packages that only a linked package has installed.
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
            const pending =
              linked.get(path) ??
              build.resolve(args.path, { importer, namespace, resolveDir, kind, pluginData: resolving })
            linked.set(path, pending)
            const found = await pending
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

/** Applies aliases by esbuild's rule: the longest key that is the whole path, or is followed by a slash in it. */
export function applyAlias(alias: Record<string, string>, path: string): string {
  const key = Object.keys(alias)
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0]
  return key === undefined ? path : `${alias[key]}${path.slice(key.length)}`
}

function packageName(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/')
}

type PackageKind = 'installed' | 'linked' | null

/** Creates a finder that searches like Node. `linked` is a package with its files outside every node_modules. */
function createPackageFinder(siteDir: string): { find(name: string): PackageKind; forget(): void } {
  const kinds = new Map<string, PackageKind>()

  function look(name: string): PackageKind {
    for (let folder = siteDir; ; folder = dirname(folder)) {
      const candidate = join(folder, 'node_modules', name)
      if (existsSync(candidate))
        return realpathSync(candidate).includes(`${join('/', 'node_modules', '/')}`) ? 'installed' : 'linked'
      if (dirname(folder) === folder) break
    }
    return sitePackageName(siteDir) === name ? 'linked' : null
  }

  return {
    find(name) {
      const kind = kinds.get(name) ?? look(name)
      kinds.set(name, kind)
      return kind
    },
    // A package may be installed between two builds.
    forget: () => kinds.clear(),
  }
}

/** Returns the name of the site's package, by which its files may import it (Node's self-referencing). */
function sitePackageName(siteDir: string): unknown {
  for (let folder = siteDir; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) {
      const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
      return typeof parsed === 'object' && parsed !== null && 'name' in parsed ? parsed.name : undefined
    }
    if (dirname(folder) === folder) return undefined
  }
}
