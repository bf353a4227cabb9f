// Finds misspelled names, and names with a meaning in other frameworks. Such a name is allowed, so the result is a
// warning. Only names that are almost certainly wrong are reported.

import { isMisspelling } from '../../../src/server/util/closest-match.ts'
import { type BuildProblem, createProblem, fileAt } from '../../build-problem.ts'
import {
  AT_SIGNS,
  chapterFix,
  DOLLARS,
  type ForeignFile,
  IGNORED_NAMES,
  NO_PAGES,
  PLUS,
  PLUS_NAMES,
  RESERVED_NAMES,
} from './other-frameworks.ts'
import { joinSegments, type PageFile } from './page-files.ts'
import type { SiteFiles } from './read-site.ts'

const SCRIPT = /^(?<name>.+)\.(?<extension>[jt]sx?)$/
const CONFIG = 'hydrant.config'
const CONFIG_NAMES = ['hydrant.conf', 'hydrant.cfg']

/** Finds the files with a doubtful name. `read` are the files of pages/ with their kinds. */
export function findDoubtfulNames(files: SiteFiles, read: readonly PageFile[]): BuildProblem[] {
  const owners = new Set(read.filter(({ kind }) => kind === 'page' || kind === 'layout').map(({ stem }) => stem))
  const taken = new Set(read.map(({ stem }) => stem))
  const pages = read.filter(({ kind }) => kind === 'page')
  return [
    ...pages.flatMap((page) => checkPage(page, taken)),
    ...(files.pages ?? []).flatMap((path) => checkServerSuffix(`pages/${path}`, owners, taken)),
    ...(files.pages ?? []).flatMap((path) => checkIgnored(path, taken)),
    ...(files.pages ?? []).flatMap(checkPlus),
    ...(files.foreign ?? []).map(checkForeign),
    ...['server', CONFIG].flatMap((name) => checkRoot(name, files.root)),
  ]
}

function checkPage({ file, stem, segments }: PageFile, taken: ReadonlySet<string>): BuildProblem[] {
  const cut = stem.lastIndexOf('/') + 1
  const name = stem.slice(cut)
  const meaning = `the page ${joinSegments(segments).id}`
  const suggest = (meant: string) => (taken.has(meant) ? [] : [doubt(file, meaning, meant + file.slice(stem.length))])
  const inPlace = NO_PAGES.get(name)
  if (inPlace !== undefined) return [doubt(file, meaning, inPlace)]
  // The rest of the path in React Router and TanStack Start.
  if (name === '$') return suggest(`${stem.slice(0, cut)}[...path]`)
  if (stem.search(DOLLARS) !== -1) return suggest(stem.replaceAll('.', '/').replace(DOLLARS, '[$1]'))
  for (const [meant, others] of RESERVED_NAMES) {
    if (!others.includes(name) && !isMisspelling(name, meant)) continue
    const folder = stem.slice(0, cut)
    return suggest((name.startsWith('+') ? folder.replace(AT_SIGNS, '[$1]') : folder) + meant)
  }
  return []
}

function checkServerSuffix(file: string, owners: ReadonlySet<string>, taken: ReadonlySet<string>): BuildProblem[] {
  const { name = '', extension = '' } = SCRIPT.exec(file)?.groups ?? {}
  const dot = name.lastIndexOf('.')
  const [stem, suffix] = [name.slice(0, dot), name.slice(dot + 1)]
  const meant = `${stem}.server`
  if (!owners.has(stem) || taken.has(meant) || !isMisspelling(suffix, 'server')) return []
  return [doubt(file, extension.endsWith('x') ? 'a page' : 'an ordinary module', `${meant}.${extension}`)]
}

function checkIgnored(path: string, taken: ReadonlySet<string>): BuildProblem[] {
  const { name = '', extension = '' } = SCRIPT.exec(path)?.groups ?? {}
  const meant = IGNORED_NAMES.get(name)
  if (meant === undefined || taken.has(`pages/${meant}`)) return []
  const ending = extension.replace(/x?$/, 'x')
  return [doubt(`pages/${path}`, 'ignored, because its name begins with "_"', `pages/${meant}.${ending}`)]
}

function checkPlus(path: string): BuildProblem[] {
  const { folder = '', name = '', extension = '' } = PLUS.exec(path)?.groups ?? {}
  const meant = PLUS_NAMES.get(name)?.replace('%', `pages/${folder.replace(AT_SIGNS, '[$1]')}`)
  if (meant === undefined) return []
  return [doubt(`pages/${path}`, extension.endsWith('x') ? 'a page' : 'an ordinary module', meant)]
}

function checkForeign({ path, meaning, meant, framework }: ForeignFile): BuildProblem {
  return { ...doubt(path, meaning, meant), fix: chapterFix(framework) }
}

function checkRoot(meant: string, root: readonly string[]): BuildProblem[] {
  if (root.some((file) => SCRIPT.exec(file)?.groups?.name === meant)) return []
  return root.flatMap((file) => {
    const { name = '', extension = '' } = SCRIPT.exec(file)?.groups ?? {}
    if (isMisspelling(name, meant) || (meant === CONFIG && CONFIG_NAMES.includes(name)))
      return [doubt(file, 'an ordinary module', `${meant}.${extension}`)]
    // A program of an app of its own may be called server.mjs.
    const other = meant === CONFIG && /^hydrant\.config\.(?:[cm]([jt])s|json)$/.exec(file)
    return other ? [doubt(file, 'not read', `${meant}.${other[1] ?? 't'}s`)] : []
  })
}

function doubt(file: string, meaning: string, meant: string): BuildProblem {
  return createProblem('HYD_BUILD_FILE_NAME', [file, meaning, meant], fileAt(file))
}
