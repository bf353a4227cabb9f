import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import type { Metafile } from 'esbuild'
import { readPackage } from './resolve-file.ts'

const RELATIVE_IMPORT = /\b(?:from|import)\s*(["'])(\.\.?\/[^"'\n]+)\1/g

/** Returns the file that modules in a folder require; null if there is none, or only one to import. */
export function findRequired(specifier: string, folder: string): string | null {
  try {
    return createRequire(join(folder, 'package.json')).resolve(specifier)
  } catch {
    return null
  }
}

/** Returns whether only a bundler can load a script: an ES module that imports other files without their extensions. */
export function needsBundler(file: string): boolean {
  if (!file.endsWith('.js')) return false
  const imports = [...readFileSync(file, 'utf8').matchAll(RELATIVE_IMPORT)]
  const isFile = (path: string) => statSync(join(dirname(file), path), { throwIfNoEntry: false })?.isFile() ?? false
  return imports.some(([, , path = '']) => !isFile(path))
}

/**
 * Returns whether a script imports `hydrant/react`: it or, in a package that names Hydrant among its dependencies, a
 * script that it imports. Node.js would load the module of the package, which does not know the base of the site.
 */
export function importsHydrant(file: string): boolean {
  const files = new Set([file])
  let depends: boolean | undefined
  for (const path of files) {
    const source = /\.[cm]?js$/.test(path) ? readFileSync(path, 'utf8') : ''
    if (/["']hydrant\/react["']/.test(source)) return true
    depends ??= dependsOnHydrant(readPackage(dirname(file)))
    if (!depends) return false
    for (const [, , next = ''] of source.matchAll(RELATIVE_IMPORT)) {
      const imported = join(dirname(path), next)
      if (statSync(imported, { throwIfNoEntry: false })?.isFile()) files.add(imported)
    }
  }
  return false
}

export function dependsOnHydrant({ dependencies, peerDependencies }: Record<string, unknown>): boolean {
  return [dependencies, peerDependencies].some((names) => Object.hasOwn({ ...Object(names) }, 'hydrant'))
}

/**
 * Returns the specifier with which modules in a folder import a file of an installed package in Node.js. Unlike
 * `require` and bundlers, an import needs the extension of a file and the name of an index file, unless the package has
 * `exports`.
 */
export function findNodeSpecifier(specifier: string, folder: string): string {
  const name = packageName(specifier)
  if (specifier === name) return specifier
  const file = findRequired(specifier, folder)
  const inFolder = join(sep, 'node_modules', name, sep)
  const start = file?.lastIndexOf(inFolder) ?? -1
  if (file === null || start === -1) return specifier
  // A folder of the package may have a `package.json` of its own.
  const root = file.slice(0, start + inFolder.length)
  return readPackage(root).exports === undefined ? `${name}/${file.slice(root.length).replaceAll(sep, '/')}` : specifier
}

export function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Matches the path of a package's file. The group is the name of the package that contains the file. */
const PACKAGE_FILE = /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//

/**
 * Returns the names of the packages that must be a part of the server's bundle: those whose scripts import stylesheets,
 * which Node.js cannot load, or `hydrant/react`, which knows the base of the site only in its bundle, and the packages
 * through which the site imports them. Names that tsconfig.json gives to modules of the site may be among them.
 *
 * @param metafile The result of a bundle for the browser, which contains the packages.
 */
export function findInlinedPackages({ inputs }: Metafile): string[] {
  const importers = new Map<string, { importer: string; original: string }[]>()
  const found = new Set<string>()
  for (const [importer, { imports }] of Object.entries(inputs)) {
    for (const { path, original = path } of imports) {
      importers.set(path, [...(importers.get(path) ?? []), { importer, original }])
      if (!isCss(importer) && (isCss(path) || original === 'hydrant/react')) found.add(importer)
    }
  }
  const names = new Set<string>()
  for (const path of found) {
    const [, name] = PACKAGE_FILE.exec(path) ?? []
    if (name !== undefined) names.add(name)
    for (const { importer, original } of importers.get(path) ?? []) {
      found.add(importer)
      // The files of a linked package are outside of node_modules.
      if (/^[^./#:]+(?:\/|$)/.test(original)) names.add(packageName(original))
    }
  }
  return [...names].sort()
}

function isCss(path: string): boolean {
  return path.endsWith('.css')
}
