import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { readPackage } from './site-package.ts'

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
