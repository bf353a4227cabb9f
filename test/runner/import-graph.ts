import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The paths of modules in the text of a compiled one: those that it imports, bundles, and starts as programs. */
const MENTIONED = /['"`]([\w./-]+\.js|#program)['"`]/g
const PROGRAM = 'dist/scripts/program.js'

const mentioned = new Map<string, readonly string[]>()

/** Returns a compiled file and those that it mentions, itself or through others, by their paths in the repository. */
export function reachedBy(file: string): Set<string> {
  const found = new Set([file])
  // A set also visits what is added to it.
  for (const path of found) for (const next of mentionedIn(path)) found.add(next)
  return found
}

function mentionedIn(file: string): readonly string[] {
  const known = mentioned.get(file)
  if (known) return known
  const texts = [...readFileSync(file, 'utf8').matchAll(MENTIONED)].map(([, text = '']) => text)
  const files = texts.flatMap((text) => {
    if (text === '#program') return [PROGRAM]
    // Beside the file, in the repository, and in the folder of the browser's modules that a build bundles.
    const places = text.startsWith('.') ? [join(file, '..', text)] : [text, join('dist/src', text)]
    return places.filter((path) => path.startsWith('dist/') && existsSync(path)).slice(0, 1)
  })
  mentioned.set(file, files)
  return files
}
