import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = 'dist/test'
const TOOLS = join(ROOT, 'tools.js')

/**
 * The beginnings of the paths of the slowest files. They run first, so that the run does not end with one of them
 * alone.
 */
const SLOWEST = [
  'docs/guide',
  'package/create',
  'package/engines',
  'package/package',
  'types/types',
  'proxy/replicas',
  'docs/code-sites',
  'browser/site',
  'browser/action-outcomes',
  'failures/',
  'browser/',
  'proxy/',
  'scripts/',
]

/** Lists the compiled test files in the order in which they start. */
export function listTests(): string[] {
  const all = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  return all
    .filter((file) => file.endsWith('.test.js'))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .map((file) => join(ROOT, file))
}

function rankOf(file: string): number {
  const rank = SLOWEST.findIndex((start) => file.startsWith(start))
  return rank === -1 ? SLOWEST.length : rank
}

/**
 * Says whether a compiled file imports `tools.ts`, itself or through others: it starts programs that may not be
 * installed yet.
 */
export function usesTools(file: string, seen = new Set<string>()): boolean {
  if (file === TOOLS) return true
  if (seen.has(file)) return false
  seen.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/^import [^;]*?from '(\.[^']+)';$/gm)
  return [...imports].some(([, specifier = '']) => usesTools(join(file, '..', specifier), seen))
}
