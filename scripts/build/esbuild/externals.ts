import { existsSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import type { ImportKind, OnResolveResult, Plugin, ResolveResult } from 'esbuild'
import {
  dependsOnHydrant,
  findNodeSpecifier,
  findRequired,
  importsHydrant,
  needsBundler,
  packageName,
} from './node-specifier.ts'
import { isInstalled, readPackage } from './resolve-file.ts'

const resolving = Symbol('resolving')
const builtins = new Set(builtinModules)

export interface ExternalsOptions {
  siteDir: string
  alias: Record<string, string>
  /** Extensions, without dots, of the files that only the build can load: stylesheets and assets. */
  bundled: readonly string[]
  /** Names of packages that are a part of the bundle, because Node.js cannot load them. */
  inlined: ReadonlySet<string>
  /** Whether ES modules of linked packages are bundled: Node.js could not load them again after a change (false). */
  inlinesLinked?: boolean
  /** Whether the bundle imports packages with specifiers that Node.js finds, or with those of the source (false). */
  isForNode?: boolean
}

/** Packages that a site has only one copy of, also when a linked package has installed its own. */
const SINGLE = new Set(['react', 'react-dom', 'hydrant'])

/**
 * Creates the plugin that leaves packages out of the bundle: Node finds them from the build folder as it does from the
 * site's. Modules that Node could not load or not find are bundled: stylesheets and assets, TypeScript of a linked
 * workspace package, paths of tsconfig.json, and packages that only a bundled package has installed.
 */
export function createExternals({
  siteDir,
  alias,
  bundled,
  inlined,
  inlinesLinked = false,
  isForNode = false,
}: ExternalsOptions): Plugin {
  const findPackage = createPackageFinder(siteDir)
  const isBundled = new RegExp(`\\.(${bundled.join('|')})([?#].*)?$`, 'i')

  function isPartOfBundle({ path, external, errors }: ResolveResult): boolean {
    // esbuild reports an error at the import.
    if (errors.length > 0) return true
    return !external && (isSource(path) || (inlinesLinked && isEsModule(path)) || importsHydrant(path))
  }

  const needsBundle = (file: string) => isBundled.test(file) || needsBundler(file) || importsHydrant(file)

  /** The specifiers with which Node.js imports modules of installed packages; null for one that only the build can load. */
  const specifiers = new Map<string, string | null>()

  function findSpecifier(path: string): string | null {
    const file = findRequired(path, siteDir)
    // Without a file to require, only the names of the package's dependencies are known.
    if (file === null ? dependsOnHydrant(findPackage.manifestOf(path)) : needsBundle(file)) return null
    return isForNode ? findNodeSpecifier(path, siteDir) : path
  }

  /** Leaves a module of an installed package out of the bundle, unless only the build can load it. */
  function leaveOut(path: string, kind: ImportKind): OnResolveResult | null {
    // Most modules of a site import the same packages.
    const known = specifiers.get(path)
    const specifier = known === undefined ? findSpecifier(path) : known
    specifiers.set(path, specifier)
    return specifier === null ? null : { path: kind === 'require-call' ? path : specifier, external: true }
  }

  return {
    name: 'hydrant-externals',
    setup(build) {
      /** Whether the modules of linked packages are a part of the bundle, by their specifiers. */
      const linked = new Map<string, Promise<boolean>>()
      build.onStart(() => {
        findPackage.forget()
        specifiers.clear()
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
            return findPackage.isSame(name, args.resolveDir) ? leaveOut(path, args.kind) : null
          case 'linked': {
            if (SINGLE.has(name)) return { path, external: true }
            const { importer, namespace, resolveDir, kind } = args
            const pending =
              linked.get(path) ??
              build
                .resolve(args.path, { importer, namespace, resolveDir, kind, pluginData: resolving })
                .then(isPartOfBundle)
            linked.set(path, pending)
            return (await pending) ? null : { path, external: true }
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

/** Returns whether a file is a script that Node.js cannot load. */
function isSource(path: string): boolean {
  return /\.([cm]?ts|[jt]sx)$/.test(path)
}

function isEsModule(path: string): boolean {
  return path.endsWith('.mjs') || (path.endsWith('.js') && readPackage(dirname(path)).type === 'module')
}

type PackageKind = 'installed' | 'linked' | null

/** Finds packages as Node.js does, from the site's folder. */
function createPackageFinder(siteDir: string) {
  const kinds = new Map<string, PackageKind>()
  const found = new Map<string, string | null>()

  /** Returns the real path of the package that modules in a folder get; null without one. */
  function findFolder(name: string, from: string): string | null {
    const key = JSON.stringify([name, from])
    const known = found.get(key)
    if (known !== undefined) return known
    const [path, above] = [join(from, 'node_modules', name), dirname(from)]
    const folder = existsSync(path) ? realpathSync(path) : above === from ? null : findFolder(name, above)
    found.set(key, folder)
    return folder
  }

  function look(name: string): PackageKind {
    const path = findFolder(name, siteDir)
    if (path !== null) return isInstalled(path) ? 'installed' : 'linked'
    // Node's self-referencing.
    return readPackage(siteDir).name === name ? 'linked' : null
  }

  return {
    /** `linked` is a package with its files outside every node_modules. */
    find(name: string): PackageKind {
      const kind = kinds.get(name) ?? look(name)
      kinds.set(name, kind)
      return kind
    },
    /** Returns the `package.json` of the package that a specifier leads to; empty if there is none. */
    manifestOf(specifier: string): Record<string, unknown> {
      const folder = findFolder(packageName(specifier), siteDir)
      return folder === null ? {} : readPackage(folder)
    },
    /** Returns whether a module in a folder gets the package that the site gets. */
    isSame(name: string, folder: string) {
      const [own, ofSite] = [findFolder(name, folder), findFolder(name, siteDir)]
      if (isInstalled(folder) || own === ofSite) return own === ofSite
      // A linked package may leave its peers to the site.
      return own === null || SINGLE.has(name)
    },
    // A package may be installed between two builds.
    forget() {
      kinds.clear()
      found.clear()
    },
  }
}
