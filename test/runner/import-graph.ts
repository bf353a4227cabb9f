import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = 'dist'

/** What a compiled module imports, and the paths of compiled files that it starts as programs. */
const MENTIONED =
  /(?:^|[;\n])\s*(?:import|export)\b[^;'"]*?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]|['"`](dist\/[\w./-]+\.js)['"`]/g

/** The site of `test/apps/` that a module builds. */
const BUILT = /\b(?:build|copy)App\([^;\n]*?'([\w-]+)'\)/g

const mentioned = new Map<string, readonly string[]>()

/**
 * Returns a compiled file, and the compiled files that it imports or starts and the folders of the sites that it builds,
 * itself or through others.
 */
export function reachedBy(file: string): Set<string> {
  const found = new Set([file])
  // A set also visits what is added to it.
  for (const path of found) for (const next of mentionedIn(path)) found.add(next)
  return found
}

function mentionedIn(file: string): readonly string[] {
  const known = mentioned.get(file)
  if (known) return known
  if (!file.endsWith('.js')) return []
  const text = readFileSync(file, 'utf8')
  const all = [...text.matchAll(MENTIONED)].map(([, fixed, dynamic, started]) => {
    const specifier = fixed ?? dynamic
    return specifier === undefined ? String(started) : relative('.', join(file, '..', specifier))
  })
  const files = all.filter((path) => path.startsWith(`${ROOT}/`) && existsSync(path) && statSync(path).isFile())
  const sites = [...text.matchAll(BUILT)].map(([, name]) => `test/apps/${name}`)
  const found = [...files, ...sites]
  mentioned.set(file, found)
  return found
}
