import { basename, resolve } from 'node:path'

/** Returns the name for the package in a folder: the folder's name, changed to a name that npm accepts. */
export function packageNameOf(dir: string, dependencies: readonly string[]): string {
  const name = basename(resolve(dir))
    // Separates accents from their letters, so that only the accents are removed.
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    // npm allows at most 214 characters.
    .slice(0, 200)
  if (name === '') return 'my-site'
  // npm refuses a package that depends on a package of its own name.
  return [...dependencies, 'node_modules', 'favicon.ico'].includes(name) ? `${name}-site` : name
}
