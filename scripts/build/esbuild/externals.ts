import { existsSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import type { Plugin, ResolveResult } from 'esbuild'
import { foldersFrom, readSitePackage } from './site-package.ts'

const resolving = Symbol('resolving')
const builtins = new Set(builtinModules)

export interface ExternalsOptions {
  siteDir: string
  alias: Record<string, string>
  /** Extensions, without dots, of the files that only the build can load: stylesheets and assets. */
  bundled: readonly string[]
  /** Names of packages that are a part of the bundle, because Node.js cannot load them. */
  inlined: ReadonlySet<string>
}

/**
 * Creates the plugin that leaves packages out of the bundle: Node finds them from the build folder as it does from the
 * site's. Modules that Node could not load or not find are bundled: stylesheets and assets, TypeScript of a linked
 * workspace package, paths of tsconfig.json, and packages that only a bundled package has installed.
 */
export function createExternals({ siteDir, alias, bundled, inlined }: ExternalsOptions): Plugin {
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
        const name = packageName(path)
        if (inlined.has(name)) return null
        switch (findPackage.find(name)) {
          case 'installed':
            return findPackage.isSame(name, args.resolveDir) ? { path, external: true } : null
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

/** Finds packages as Node.js does, from the site's folder. */
interface PackageFinder {
  /** `linked` is a package with its files outside every node_modules. */
  find(name: string): PackageKind
  /** Returns whether a module in a folder gets the package that the site gets. */
  isSame(name: string, folder: string): boolean
  forget(): void
}

function createPackageFinder(siteDir: string): PackageFinder {
  const kinds = new Map<string, PackageKind>()

  function look(name: string): PackageKind {
    const path = findFolder(name, siteDir)
    if (path !== null) return path.includes(`${join('/', 'node_modules', '/')}`) ? 'installed' : 'linked'
    // Node's self-referencing.
    return readSitePackage(siteDir).name === name ? 'linked' : null
  }

  return {
    find(name) {
      const kind = kinds.get(name) ?? look(name)
      kinds.set(name, kind)
      return kind
    },
    isSame(name, folder) {
      if (!folder.includes(`${join('/', 'node_modules', '/')}`)) return true
      return findFolder(name, folder) === findFolder(name, siteDir)
    },
    // A package may be installed between two builds.
    forget: () => kinds.clear(),
  }
}

/** Returns the real path of the package that modules in a folder get; null without one. */
function findFolder(name: string, from: string): string | null {
  const found = foldersFrom(from)
    .map((folder) => join(folder, 'node_modules', name))
    .find(existsSync)
  return found === undefined ? null : realpathSync(found)
}
