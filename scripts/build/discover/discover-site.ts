import { posix } from 'node:path'
import {
  type LeveledFile,
  type RouteEntry,
  type Surroundings,
  serverFileKeys,
} from '../../../src/server/build-output/manifest.ts'
import { closestMatch, isMisspelling } from '../../../src/server/util/closest-match.ts'
import { RESERVED_PATH } from '../../../src/shared/paths.ts'
import { type BuildProblem, compareText, createConflict, createProblem, fileAt } from '../../build-problem.ts'
import { quoteWord } from '../../terminal/text.ts'
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
import { joinSegments, type PageFile, type PageFileKind, readPageFiles } from './page-files.ts'
import type { SiteFiles } from './read-site.ts'

const { dirname, extname } = posix

/** The parts of a site, found by the names of its files. Paths are relative to the site's folder. */
export interface DiscoveredSite {
  routes: RouteEntry[]
  root: Surroundings
  /** Pages, layouts, error pages and not-found pages: the files that the browser runs. */
  components: { file: string; kind: Exclude<PageFileKind, 'server'> }[]
  /** The `.server` files of pages and layouts. */
  serverFiles: { file: string; kind: 'page' | 'layout' }[]
  serverPlugin: string | null
  config: string | null
  publicFiles: string[]
}

/** Decides what each file of a site is. Leaves out files with problems. Warns of files that are probably misnamed. */
export function discoverSite(files: SiteFiles): {
  site: DiscoveredSite
  problems: BuildProblem[]
  warnings: BuildProblem[]
} {
  const problems: BuildProblem[] = []
  if (files.pages === null) problems.push(createPagesMissing(files))
  const read = readPageFiles(files.pages ?? [])
  problems.push(...read.problems)
  const surround = createSurround(read.files, problems)
  const serverFiles = matchServerFiles(read.files, problems)
  const routes = createRoutes(read.files, surround, problems)
  const publicFiles = findPublicFiles(files.publicFiles, routes, problems)
  return {
    site: {
      routes,
      root: surround([]),
      components: read.files.flatMap(({ file, kind }) => (kind === 'server' ? [] : [{ file, kind }])),
      serverFiles,
      serverPlugin: findRootFile('server', files.root, problems),
      config: findRootFile('hydrant.config', files.root, problems),
      publicFiles,
    },
    problems,
    warnings: findDoubtfulNames(files, read.files),
  }
}

function createPagesMissing({ folders = [], siteBelow, foreign = [] }: SiteFiles): BuildProblem {
  const [other] = foreign
  const closest = other ? undefined : closestMatch('pages', folders)
  const hint =
    siteBelow !== undefined
      ? `; ${siteBelow}/ has one`
      : other
        ? `; ${other.path} belongs to ${other.framework}`
        : closest
          ? `; did you mean ${closest}/?`
          : ''
  const problem = createProblem('HYD_BUILD_PAGES_MISSING', [hint])
  if (siteBelow === undefined) return other ? { ...problem, fix: chapterFix(other.framework) } : problem
  return { ...problem, fix: `Pass the site’s folder to the command, such as "hydrant build ${quoteWord(siteBelow)}".` }
}

type Surround = (folder: readonly string[]) => Surroundings

function createSurround(files: readonly PageFile[], problems: BuildProblem[]): Surround {
  const index = (wanted: PageFileKind) => {
    const byFolder = new Map<string, string>()
    for (const { file, kind, folder } of files) {
      if (kind !== wanted) continue
      const key = folder.join('/')
      const other = byFolder.get(key)
      if (other !== undefined) problems.push(createConflict('HYD_BUILD_FILE_TWICE', [other, file]))
      else byFolder.set(key, file)
    }
    return byFolder
  }
  const [layoutsAt, errorsAt, notFoundsAt] = [index('layout'), index('error'), index('not-found')]

  return (folder) => {
    const layouts: string[] = []
    const errors: LeveledFile[] = []
    const notFounds: LeveledFile[] = []
    // Level 1 is the root layout: the site's, or Hydrant's default when the site has none.
    let level = 1
    for (let depth = 0; depth <= folder.length; depth++) {
      const key = folder.slice(0, depth).join('/')
      const [layout, error, notFound] = [layoutsAt.get(key), errorsAt.get(key), notFoundsAt.get(key)]
      if (layout !== undefined) layouts.push(layout)
      if (layout !== undefined && depth > 0) level++
      if (error !== undefined) errors.push({ file: error, level })
      if (notFound !== undefined) notFounds.push({ file: notFound, level })
    }
    return { layouts, errors, notFounds }
  }
}

function matchServerFiles(files: readonly PageFile[], problems: BuildProblem[]): DiscoveredSite['serverFiles'] {
  const kinds = new Map<string, 'page' | 'layout'>()
  for (const { file, kind } of files) {
    if (kind === 'page' || kind === 'layout') for (const key of serverFileKeys(file)) kinds.set(key, kind)
  }
  const present = new Set(files.map(({ stem }) => stem))
  const taken = new Map<string, string>()
  return files.flatMap(({ kind, file, stem }) => {
    if (kind !== 'server') return []
    const owner = kinds.get(file)
    const other = taken.get(stem)
    if (owner === undefined) problems.push(createOrphan(file, [...kinds.keys()], present))
    else if (other !== undefined) problems.push(createConflict('HYD_BUILD_FILE_TWICE', [other, file]))
    taken.set(stem, file)
    return owner === undefined ? [] : [{ file, kind: owner }]
  })
}

/** `possible` are the names that server files can have, and `present` the stems of all files. */
function createOrphan(file: string, possible: readonly string[], present: ReadonlySet<string>): BuildProblem {
  const [folder, extension] = [dirname(file), extname(file)]
  const nameIn = (path: string) => path.slice(folder.length + 1, -`.server${extension}`.length)
  const name = nameIn(file)
  const free = possible.filter(
    (path) => dirname(path) === folder && extname(path) === extension && !present.has(path.slice(0, -extension.length)),
  )
  const isMeant = (one: string) => isMisspelling(name, one) || `${name}s` === one || `${one}s` === name
  const closest = name.length < MIN_SIMILAR ? undefined : free.map(nameIn).find(isMeant)
  const hint = closest === undefined ? '' : `; did you mean ${folder}/${closest}.server${extension}?`
  const problem = createProblem('HYD_BUILD_SERVER_ORPHAN', [file, hint], fileAt(file))
  // An error page, for example, has no server file.
  if (present.has(`${folder}/${name}`)) return problem
  const page = `${folder}/${name}${extension.replace(/x?$/, 'x')}`
  return { ...problem, fix: `Create ${page}, or n${problem.fix.slice(1)}` }
}

/** Shorter names are similar by chance. */
const MIN_SIMILAR = 4

function createRoutes(files: readonly PageFile[], surround: Surround, problems: BuildProblem[]): RouteEntry[] {
  const taken = new Map<string, string>()
  const routes = files.flatMap(({ kind, file, folder, segments }) => {
    if (kind !== 'page') return []
    const { id, url, key } = joinSegments(segments)
    const other = taken.get(key)
    if (other !== undefined) {
      problems.push(createConflict('HYD_BUILD_URL_TAKEN', [other, file, id]))
      return []
    }
    taken.set(key, file)
    const last = segments.findLast((segment) => segment.kind !== 'group')
    const catchAll = last?.kind === 'catchAll' ? last.name : null
    return [{ id, url, catchAll, page: file, ...surround(folder) }]
  })
  return routes.sort((a, b) => compareText(a.url, b.url))
}

/**
 * Characters that a path in public/ cannot contain. `*` and `:` make the router match other URLs. A URL contains `?`
 * and `#` only as escapes, which the router does not decode. @fastify/static takes a backslash for a slash.
 */
const UNSERVABLE = /[*:?#\\]/

function findPublicFiles(files: readonly string[], routes: readonly RouteEntry[], problems: BuildProblem[]): string[] {
  const pages = new Map(routes.flatMap(({ id, url, page }) => (id === url ? [[url, page] as const] : [])))
  return files.filter((path) => {
    const before = problems.length
    const file = `public/${path}`
    if (`/${path}/`.startsWith(`${RESERVED_PATH}/`)) {
      problems.push(createProblem('HYD_BUILD_RESERVED', [file, RESERVED_PATH], fileAt(file)))
    }
    const [special] = UNSERVABLE.exec(path) ?? []
    if (special !== undefined) problems.push(createProblem('HYD_BUILD_PUBLIC_NAME', [file, special], fileAt(file)))
    const page = pages.get(`/${path}`)
    if (page !== undefined) {
      problems.push(createConflict('HYD_BUILD_URL_TAKEN', [page, file, `/${path}`]))
    }
    return problems.length === before
  })
}

function findRootFile(name: string, root: readonly string[], problems: BuildProblem[]): string | null {
  const found = ['.ts', '.tsx', '.js', '.jsx']
    .map((extension) => name + extension)
    .filter((file) => root.includes(file))
  const [first = null, second] = found
  if (first !== null && second !== undefined) {
    problems.push(createConflict('HYD_BUILD_FILE_TWICE', [first, second]))
  }
  return first
}

// Finds misspelled names, and names with a meaning in other frameworks. Such a name is allowed, so the result is a
// warning. Only names that are almost certainly wrong are reported.

const SCRIPT = /^(?<name>.+)\.(?<extension>[jt]sx?)$/
const CONFIG = 'hydrant.config'
const CONFIG_NAMES = ['hydrant.conf', 'hydrant.cfg']

/** Finds the files with a doubtful name. `read` are the files of pages/ with their kinds. */
function findDoubtfulNames(files: SiteFiles, read: readonly PageFile[]): BuildProblem[] {
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
