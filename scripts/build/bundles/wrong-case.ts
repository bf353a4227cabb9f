import { readdir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import type { Message } from 'esbuild'
import { toSitePath } from '../../../src/server/util/to-site-path.ts'
import { type BuildProblem, createProblem } from '../../build-problem.ts'
import { placeOfTrigger, readLocation } from './translate-message.ts'

/** esbuild finds a file in any case, and then it or a plugin of Hydrant cannot open it. */
const UNREADABLE = /^(?:Cannot read file: (.*)|ENOENT: no such file or directory, open '(.*)')$/
const UNRESOLVED = /^Could not resolve "(\.{1,2}\/.*)"$/

/**
 * Explains the import of a file whose name has upper and lower case in other places. Returns null for other messages,
 * and if there is no such file.
 */
export async function explainWrongCase(siteDir: string, message: Message): Promise<BuildProblem | null> {
  const location = placeOfTrigger(message) ?? readLocation(message)
  const [, unreadable, opened] = UNREADABLE.exec(message.text) ?? []
  const [, specifier] = UNRESOLVED.exec(message.text) ?? []
  const imported = specifier !== undefined && location ? resolve(siteDir, dirname(location.file), specifier) : undefined
  const path = unreadable ?? opened ?? imported
  const found = path === undefined ? null : await findInAnyCase(path)
  if (path === undefined || found === null) return null
  const [, written] = /^(?:"|')(.*?)["']/.exec(location?.lineText?.slice((location.column ?? 1) - 1) ?? '') ?? []
  const hint = `; the name of the file is ${toSitePath(siteDir, found)}`
  return createProblem('HYD_BUILD_UNRESOLVED', [written ?? toSitePath(siteDir, path), hint], location)
}

/**
 * Returns the file that a path means if upper and lower case are the same. Null without one, and if the path is right.
 */
async function findInAnyCase(path: string): Promise<string | null> {
  let found = resolve(sep)
  for (const name of resolve(path).slice(found.length).split(sep)) {
    const names = await readdir(found).catch((): string[] => [])
    const same = names.includes(name) ? name : names.find((other) => isSame(other, name))
    const next = same ?? names.find((other) => isSame(withoutExtension(other), withoutExtension(name)))
    if (next === undefined) return null
    found = join(found, next)
  }
  return found === path ? null : found
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Imports may leave out the extension of a script, and may have `.js` for a file with TypeScript. */
function withoutExtension(name: string): string {
  return name.replace(/\.(?:[cm]?[jt]sx?|json)$/, '')
}
