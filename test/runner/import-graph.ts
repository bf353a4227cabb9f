import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The paths of modules in the text of a compiled one: those that it imports, bundles, and starts as programs. */
const MENTIONED = /['"`]([\w./-]+\.js|#program)['"`]/g
const PROGRAM = 'dist/scripts/program.js'

/** The site of `test/apps/` that a module builds. */
const BUILT = /\b(?:build|copy)App\([^;\n]*?'([\w-]+)'\)/g

const mentioned = new Map<string, readonly string[]>()

/**
 * Returns a compiled file, and the compiled files that it mentions and the folders of the sites that it builds,
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
  const modules = [...text.matchAll(MENTIONED)].flatMap(([, name = '']) => {
    if (name === '#program') return [PROGRAM]
    // Beside the file, in the repository, and in the folder of the browser's modules that a build bundles.
    const places = name.startsWith('.') ? [join(file, '..', name)] : [name, join('dist/src', name)]
    return places.filter((path) => path.startsWith('dist/') && existsSync(path)).slice(0, 1)
  })
  const sites = [...text.matchAll(BUILT)].map(([, name]) => `test/apps/${name}`)
  const found = [...modules, ...sites]
  mentioned.set(file, found)
  return found
}
