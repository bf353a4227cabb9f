// A file's name decides its kind in pages/:
// - `layout`, `error` and `not-found` (.tsx, .jsx or .mdx) apply to their folder and everything below it;
// - every other .tsx, .jsx or .mdx file is a page;
// - `<name>.server.ts` (.tsx, .js, .jsx) belongs to the page or layout of that name in the same folder;
// - files and folders that start with `_` or `.` are ignored: a place for components;
// - all other files (.ts and .js modules, stylesheets, images) are modules to import.

import { RESERVED_PATH } from '../../../src/shared/paths.ts'
import { type BuildProblem, createProblem, fileAt } from '../../build-problem.ts'

export type PageFileKind = 'page' | 'layout' | 'error' | 'not-found' | 'server'

export interface PageFile {
  kind: PageFileKind
  /** `pages/products/[id].tsx` */
  file: string
  /** The path without its extension: `pages/products/[id]`. */
  stem: string
  /** The names of the folders in pages/ that lead to the file; empty for a file directly in pages/. */
  folder: string[]
  /** The segments that the folders and, for a page, the file's name add to the URL. */
  segments: Segment[]
}

/** Reads the names in pages/ (relative to it, sorted). Files with a bad name are reported and left out. */
export function readPageFiles(paths: readonly string[]): { files: PageFile[]; problems: BuildProblem[] } {
  const problems = new Map<string, BuildProblem>()
  const report = (problem: BuildProblem) => problems.set(`${problem.code} ${problem.location?.file}`, problem)
  const files = paths.flatMap((path) => readPageFile(path, report) ?? [])
  return { files, problems: [...problems.values()] }
}

type Report = (problem: BuildProblem) => void

function readPageFile(path: string, report: Report): PageFile | null {
  const folder = path.split('/')
  const fileName = folder.pop() ?? ''
  const match = /^(?<name>.+?)(?<server>\.server)?\.(?<extension>[jt]sx?|mdx)$/.exec(fileName)
  const { name, server, extension } = match?.groups ?? {}
  if (name === undefined || extension === undefined || name.endsWith('.d')) return null
  const kind = server ? 'server' : kindOf(name)
  const file = `pages/${path}`
  if (isReserved(folder, name)) {
    report(createProblem('HYD_BUILD_RESERVED', [file, RESERVED_PATH], fileAt(file)))
    return null
  }
  if ([...folder, name].some((part) => /^[_.]/.test(part))) return null
  const isAccepted = server ? extension !== 'mdx' : extension.endsWith('x')
  if (!isAccepted) {
    if (kind !== 'page' || name === 'index') {
      report(createProblem('HYD_BUILD_EXTENSION', [file, kind, extension], fileAt(file)))
    }
    return null
  }
  const names = kind === 'page' && name !== 'index' ? [...folder, name] : folder
  const segments = readSegments(names, { isFile: names !== folder, file }, report)
  return segments && { kind, file, stem: file.slice(0, -extension.length - 1), folder, segments }
}

function kindOf(name: string): PageFileKind {
  return name === 'layout' || name === 'error' || name === 'not-found' ? name : 'page'
}

function isReserved(folder: readonly string[], name: string): boolean {
  const first = [...folder, name].find((part) => parseSegment(part).kind !== 'group')
  return `/${first}` === RESERVED_PATH
}

/** Parses the names of a path. Reports a bad folder name at the folder, so that it appears once for all its files. */
function readSegments(
  names: readonly string[],
  { isFile, file }: { isFile: boolean; file: string },
  report: Report,
): Segment[] | null {
  const segments = names.map(parseSegment)
  const locationOf = (index: number) =>
    fileAt(isFile && index === names.length - 1 ? file : ['pages', ...names.slice(0, index + 1)].join('/'))
  const seen = new Set<string>()
  for (const [index, segment] of segments.entries()) {
    const name = names[index] ?? ''
    if (segment.kind === 'bad') {
      report(createProblem('HYD_BUILD_SEGMENT', [name, segment.reason], locationOf(index)))
      return null
    }
    if (segment.kind === 'catchAll' && segments.slice(index + 1).some(({ kind }) => kind !== 'group')) {
      report(
        createProblem(
          'HYD_BUILD_SEGMENT',
          [name, 'matches the rest of the path, so it must be last'],
          locationOf(index),
        ),
      )
      return null
    }
    if (segment.kind !== 'param' && segment.kind !== 'catchAll') continue
    if (seen.has(segment.name)) {
      report(createProblem('HYD_BUILD_PARAM_TWICE', [segment.name, names.join('/')], locationOf(index)))
      return null
    }
    seen.add(segment.name)
  }
  return segments
}

/** One part of a page's path in pages/: the name of a folder, or of a file without its extension. */
type Segment =
  | { kind: 'static'; text: string }
  | { kind: 'param'; name: string }
  | { kind: 'catchAll'; name: string }
  | { kind: 'group' }
  | { kind: 'bad'; reason: string }

/** The characters that a segment cannot contain, with the reasons. All others are encoded in URLs. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/[()]/, 'marks a group, as the first and the last character of the name of a folder'],
  [/[:*]/, 'has a meaning for the router'],
  [/[?#\\]/, 'has a meaning in URLs'],
  [/%/, 'begins an encoded character in URLs: write the character itself'],
  [/[\p{Cc}\p{Surrogate}]/u, 'is no character of a text'],
]
const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

export function parseSegment(text: string): Segment {
  if (text.includes('[') || text.includes(']')) return parseParameter(text)
  if (text.startsWith('(') && text.endsWith(')')) {
    return text.length > 2 ? { kind: 'group' } : { kind: 'bad', reason: 'has no name in its parentheses' }
  }
  if (text === '') return { kind: 'bad', reason: 'is empty' }
  for (const [pattern, reason] of REFUSED) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return { kind: 'bad', reason: `contains ${JSON.stringify(found)}, which ${reason}` }
  }
  // Some file systems decompose letters with accents. Browsers send what people type, which is composed.
  return { kind: 'static', text: text.normalize('NFC') }
}

/**
 * Joins segments to a path: `id` as a site developer writes it (`/products/[id]`), `url` as Fastify's router takes it
 * (`/products/:id`), and `key`, which is equal for two paths that match the same requests.
 */
export function joinSegments(segments: readonly Segment[]): { id: string; url: string; key: string } {
  const parts = segments.flatMap((segment) => {
    switch (segment.kind) {
      case 'static':
        return [{ id: segment.text, url: segment.text, key: segment.text }]
      case 'param':
        return [{ id: `[${segment.name}]`, url: `:${segment.name}`, key: ':' }]
      case 'catchAll':
        return [{ id: `[...${segment.name}]`, url: '*', key: '*' }]
      default:
        return []
    }
  })
  const join = (field: 'id' | 'url' | 'key') => `/${parts.map((part) => part[field]).join('/')}`
  return { id: join('id'), url: join('url'), key: join('key') }
}

function parseParameter(text: string): Segment {
  if (!/^\[[^[\]]*\]$/.test(text)) {
    return { kind: 'bad', reason: 'must be a name in one pair of brackets, or contain no brackets' }
  }
  const isCatchAll = text.startsWith('[...')
  const name = text.slice(isCatchAll ? 4 : 1, -1)
  if (name === '') return { kind: 'bad', reason: 'has no name in its brackets' }
  if (!identifier.test(name))
    return { kind: 'bad', reason: `has the parameter "${name}", which is not a valid identifier` }
  return { kind: isCatchAll ? 'catchAll' : 'param', name }
}
