import { posix } from 'node:path'

/** Returns whether an import in a metafile is the pattern that esbuild makes of an `import()` with an expression. */
export function isPattern(path: string): boolean {
  return /^\.\.?\//.test(path) && path.includes('*')
}

/**
 * Finds the modules that a pattern of an importer matches. `**` stands for folders, `*` for a part of a name.
 *
 * @returns Specifiers as the expression writes them, and ids.
 */
export function matchPattern(
  importer: string,
  pattern: string,
  ids: Iterable<string>,
): [specifier: string, id: string][] {
  const folder = posix.dirname(importer)
  const source = posix
    .join(folder, pattern)
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (part) => (part === '*' ? '[^/]*' : '(?:.*/)?'))
  const path = new RegExp(`^${source}$`)
  const matching = [...ids].filter((id) => id !== importer && path.test(id))
  return matching.map((id) => {
    const specifier = posix.relative(folder, id)
    return [specifier.startsWith('../') ? specifier : `./${specifier}`, id]
  })
}
