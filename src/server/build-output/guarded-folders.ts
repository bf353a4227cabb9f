import { posix } from 'node:path'
import { decodeLoosely } from '../../shared/paths.ts'
import type { GuardContext } from './page-contexts.ts'

export type GuardFunction = (context: GuardContext) => unknown

export interface FolderGuard {
  guard: GuardFunction
  /** Path in the site of the file with the guard. */
  serverFile: string
  /** Path of the folder in the site: `pages/(shop)/members`. */
  folder: string
}

/**
 * A folder of `pages/` whose guard also runs for unknown paths below it. The guards of the folders around it come first,
 * as they do for its pages: later guards may need the context of earlier ones.
 */
export interface GuardedFolder {
  /** The segments of its URL, with those of the base. */
  segments: readonly FolderSegment[]
  /** Its guards, outermost first. */
  guards: readonly FolderGuard[]
}

type FolderSegment =
  | { kind: 'static'; text: string }
  | { kind: 'param'; name: string }
  | { kind: 'catchAll'; name: string }

/** A guard to run for an unknown path. */
export interface PathGuard extends FolderGuard {
  /** The parameters of its folder. */
  params: Record<string, string>
}

/**
 * Lists the folders with guards, outermost first. A folder in parentheses adds nothing to the URL, so its own guard runs
 * for its pages only.
 *
 * @param files Paths in the site of its components.
 * @param read Reads the server file of a component.
 */
export function createGuardedFolders(
  files: readonly string[],
  base: string,
  read: (file: string) => { guard: GuardFunction | null; serverFile: string },
): GuardedFolder[] {
  const guards = files.flatMap((file): FolderGuard[] => {
    if (!/^layout\.(?:[jt]sx?|mdx)$/.test(posix.basename(file))) return []
    const { guard, serverFile } = read(file)
    return guard ? [{ guard, serverFile, folder: posix.dirname(file) }] : []
  })
  guards.sort((a, b) => depthOf(a) - depthOf(b))
  return guards
    .filter(({ folder }) => !isGroup(posix.basename(folder)))
    .map(({ folder }) => ({
      segments: [...namesInPath(base).map(decodeLoosely), ...folder.split('/').slice(1)].flatMap(toSegment),
      guards: guards.filter((outer) => `${folder}/`.startsWith(`${outer.folder}/`)),
    }))
}

/**
 * Returns the guards of all folders whose URL is the beginning of a path, outermost first, each once.
 *
 * @param path The path of the request, with the base.
 * @param isCaseSensitive False if the router ignores case.
 */
export function guardsOfPath(folders: readonly GuardedFolder[], path: string, isCaseSensitive = true): PathGuard[] {
  if (folders.length === 0) return []
  const names = namesInPath(path).map(decodeLoosely)
  const found = new Map<FolderGuard, PathGuard>()
  for (const { segments, guards } of folders) {
    const params = matchStart(segments, names, isCaseSensitive)
    if (!params) continue
    for (const one of guards) if (!found.has(one)) found.set(one, { ...one, params })
  }
  return [...found.values()].sort((a, b) => depthOf(a) - depthOf(b))
}

function matchStart(
  segments: readonly FolderSegment[],
  names: readonly string[],
  isCaseSensitive: boolean,
): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const name = names[index]
    if (segment.kind === 'catchAll') {
      params[segment.name] = names.slice(index).join('/')
      continue
    }
    if (name === undefined) return null
    if (segment.kind === 'param') params[segment.name] = name
    else if (!isEqual(segment.text, name.normalize('NFC'), isCaseSensitive)) return null
  }
  return params
}

const isEqual = (a: string, b: string, isCaseSensitive: boolean) =>
  a === b || (!isCaseSensitive && a.toLowerCase() === b.toLowerCase())

// Repeated slashes do not count: a guard that runs too often is harmless.
const namesInPath = (path: string) => path.split('/').filter((name) => name !== '')

function toSegment(name: string): FolderSegment[] {
  if (isGroup(name)) return []
  const [, dots, param] = /^\[(\.\.\.)?(.+)\]$/.exec(name) ?? []
  if (param === undefined) return [{ kind: 'static', text: name.normalize('NFC') }]
  return [{ kind: dots ? 'catchAll' : 'param', name: param }]
}

const isGroup = (name: string) => name.startsWith('(') && name.endsWith(')')

const depthOf = ({ folder }: FolderGuard) => folder.split('/').length
