import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
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
  const [thrower, ...callers] = packagesIn(error)
  if (thrower === undefined) return message
  const places = [thrower, ...callers].map((imported) => findImport(bundle, imported))
  return withPlace(places.find((place) => place !== null) ?? null, `the package "${thrower}" threw: ${message}`)
}

function withPlace(place: string | null, message: string): string {
  return place === null ? message : `${place}: ${message}`
}

/** Returns the packages in the stack of an error, the innermost first; none if the site's own code has thrown. */
function packagesIn(error: unknown): string[] {
  const { stack } = Object(error) as { stack?: unknown }
  const frames = String(stack).match(/^ {4}at .*/gm) ?? []
  const names = frames.map((frame) => PACKAGE_FRAME.exec(frame)?.[1]?.replace('\\', '/'))
  const end = names.findIndex((found) => found === undefined || found === 'hydrant')
  return [...new Set((end === -1 ? names : names.slice(0, end)).filter((found) => found !== undefined))]
}

const PACKAGE_FRAME = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/

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
