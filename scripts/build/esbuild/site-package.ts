import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns a folder and those above it, the innermost first. */
export function foldersFrom(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersFrom(above)]
}

/** Returns the content of the `package.json` that Node.js finds for the files of a folder; empty without one. */
export function readPackage(folder: string): Record<string, unknown> {
  const file = foldersFrom(folder)
    .map((parent) => join(parent, 'package.json'))
    .find(existsSync)
  if (file === undefined) return {}
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return { ...Object(content) }
  } catch (error) {
    // esbuild reports it, with the place.
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
