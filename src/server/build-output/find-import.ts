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
 * Returns the place in the site of the import that Node.js could not link, `pages/index.server.ts:1:10`; null for another
 * error. The stack of Node.js only names the bundle.
 */
export function findImport(bundle: string, error: unknown): string | null {
  const text = messageOf(error)
  const { module, name } = MESSAGES.map((pattern) => pattern.exec(text)?.groups).find(Boolean) ?? {}
  if (module === undefined) return null
  try {
    const lines = readFileSync(bundle, 'utf8').split('\n')
    const end = ` ${JSON.stringify(module)};`
    const line = lines.findIndex(
      (code) => code.startsWith('import ') && code.endsWith(end) && (name === undefined || wordOf(name).test(code)),
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
