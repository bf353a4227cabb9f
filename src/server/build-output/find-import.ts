import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'
import { join } from 'node:path'
import { messageOf } from '../util/message-of.ts'

/** The messages of Node.js for an import that cannot be linked. */
const MESSAGES = [
  /The requested module '(?<module>[^']+)' does not provide an export named '(?<name>[^']+)'/,
  /Named export '(?<name>[^']+)' not found\. The requested module '(?<module>[^']+)'/,
  /Cannot find (?:package|module) '(?<module>[^']+)'/,
]

/**
 * Describes an error of the evaluation of a bundle. If Node.js could not link an import, or if a package threw, the message
 * begins with the place of the import in the site, `pages/index.server.ts:1:10`: the stack of Node.js only names the
 * bundle or the package.
 */
export function describeEvaluation(bundle: string, error: unknown): string {
  const message = messageOf(error)
  const { module, name } = MESSAGES.map((pattern) => pattern.exec(message)?.groups).find(Boolean) ?? {}
  if (module !== undefined) return withPlace(findImport(bundle, module, name), message)
  const thrower = packageIn(error)
  if (thrower === null) return message
  const place = findImport(bundle, thrower)
  const importer = place === null ? findDependent(bundle, thrower) : null
  if (importer === null) return withPlace(place, `the package "${thrower}" threw: ${message}`)
  const needed = `the package "${thrower}", which "${importer}" needs, threw: ${message}`
  return withPlace(findImport(bundle, importer), needed)
}

function withPlace(place: string | null, message: string): string {
  return place === null ? message : `${place}: ${message}`
}

/** Returns the package that has thrown an error; null if the site's own code has. */
function packageIn(error: unknown): string | null {
  const { stack } = Object(error) as { stack?: unknown }
  const [frame = ''] = /^ {4}at .*/m.exec(String(stack)) ?? []
  const [, name] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(frame) ?? []
  return name === undefined || name === 'hydrant' ? null : name.replace('\\', '/')
}

/** Returns a package that the bundle imports and that needs another one, itself or through others; null if there is none. */
function findDependent(bundle: string, wanted: string): string | null {
  try {
    const imports = readFileSync(bundle, 'utf8').matchAll(/^import .*"((?:@[^/"]+\/)?[^/"]+)[^"]*";$/gm)
    return [...imports].map(([, name = '']) => name).find((name) => needs(name, wanted, bundle, new Set())) ?? null
  } catch {
    return null
  }
}

function needs(name: string, wanted: string, importer: string, seen: Set<string>): boolean {
  const paths = createRequire(importer).resolve.paths(name) ?? []
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json')))
  if (folder === undefined || seen.has(folder)) return false
  seen.add(folder)
  // pnpm has the dependencies beside the target of a link.
  const file = join(realpathSync(folder), 'package.json')
  const { dependencies, peerDependencies } = Object(JSON.parse(readFileSync(file, 'utf8')))
  const names = Object.keys({ ...dependencies, ...peerDependencies })
  return names.includes(wanted) || names.some((inner) => needs(inner, wanted, file, seen))
}

/** Returns the place in the site of an import of a module, or of a package with that name. */
function findImport(bundle: string, module: string, name?: string): string | null {
  try {
    const lines = readFileSync(bundle, 'utf8').split('\n')
    const literal = JSON.stringify(module)
    const isOf = (code: string) => code.endsWith(` ${literal};`) || code.includes(` ${literal.slice(0, -1)}/`)
    const line = lines.findIndex(
      (code) => code.startsWith('import ') && isOf(code) && (name === undefined || wordOf(name).test(code)),
    )
    const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')))
    const entry = map.findEntry(line, name === undefined ? 0 : (lines[line]?.search(wordOf(name)) ?? 0))
    if (line === -1 || !('originalSource' in entry)) return null
    const file = decodeURIComponent(entry.originalSource).replace(/^\.\.\/\.\.\//, '')
    return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  } catch {
    // A build without a readable map: the message is complete without the place.
    return null
  }
}

function wordOf(name: string): RegExp {
  return new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)
}
