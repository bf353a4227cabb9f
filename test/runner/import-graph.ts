import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = 'dist'

/** What a compiled module imports, and the paths of compiled files that it starts as programs. */
const MENTIONED =
  /(?:^|[;\n])\s*(?:import|export)\b[^;'"]*?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]|['"`](dist\/[\w./-]+\.js)['"`]/g

const mentioned = new Map<string, readonly string[]>()

/** Returns a compiled file and those that it imports or starts, itself or through others, by their paths from `dist`. */
export function reachedBy(file: string): Set<string> {
  const found = new Set([file])
  // A set also visits what is added to it.
  for (const path of found) for (const next of mentionedIn(path)) found.add(next)
  return found
}

function mentionedIn(file: string): readonly string[] {
  const known = mentioned.get(file)
  if (known) return known
  const all = [...readFileSync(file, 'utf8').matchAll(MENTIONED)].map(([, fixed, dynamic, started]) => {
    const specifier = fixed ?? dynamic
    return specifier === undefined ? String(started) : relative('.', join(file, '..', specifier))
  })
  const files = all.filter((path) => path.startsWith(`${ROOT}/`) && existsSync(path) && statSync(path).isFile())
  mentioned.set(file, files)
  return files
}
