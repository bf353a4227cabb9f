import { realpathSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { BUILD_FOLDER, BUILD_PATHS, serverFileKeys } from '../../src/server/build-output/manifest.ts'
import { openPrerendered } from '../../src/server/cache/prerendered-pages.ts'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { hasCode } from '../../src/server/util/unknown-values.ts'
import { ASSETS_PATH, navigationFile, withBase } from '../../src/shared/paths.ts'
import { type BuildStep, buildSite, type CheckedSite, type SiteBuild } from '../build/build-site.ts'
import { findExport } from '../build/bundles/read-exports.ts'
import { createOutputFolder, type OutputFolder } from '../build/output/output-folder.ts'
import { type BuildProblem, compareText, createProblem, fileAt, type SourceLocation } from '../build-problem.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../map-with-limit.ts'
import { openRenderedSite, type PageAddress, type RenderedSite } from './render-site.ts'

export interface ExportOptions {
  dir: string
  /** The folder to write (`<dir>/export`). */
  out?: string | undefined
  /** The public origin of the site: `https://example.com`. */
  origin: string
  /** The path at which the host serves the folder (the option `base`). */
  base?: string | undefined
  /** Whether the document of `/about` is `about/index.html`; otherwise it is `about.html`. */
  inFolders: boolean
  /** @param done How much of the step is done: `3 of 12`. */
  onProgress?(step: BuildStep | ExportStep, done?: string): void
}

export type ExportStep = 'exported pages' | 'exported files'

export interface SiteExport {
  /** The absolute path of the folder that was written. */
  folder: string
  build: SiteBuild
  pages: number
  files: number
  durationMs: number
}

/** The number of pages that are rendered at a time. While a load waits for a service, other pages are rendered. */
const PAGES_AT_A_TIME = 8
const REDIRECTS_FILE = '_redirects'

/**
 * Builds a site whose pages are all prerendered, and writes it as files for a host without Node.js. Throws a
 * BuildError with everything that needs a server, HYD_EXPORT_FOLDER, HYD_EXPORT_PAGE and HYD_EXPORT_FILE. The folder
 * then stays as it was.
 */
export async function exportSite(options: ExportOptions): Promise<SiteExport> {
  const { dir, out, origin, base, onProgress = () => {} } = options
  const startedAt = performance.now()
  const target = await checkExportFolder(dir, out)
  const build = await buildSite({ dir, onProgress, check: { exports: SERVER_EXPORTS, find: findServerNeeds } })
  const rendered = await openRenderedSite({
    dir,
    manifest: build.manifest,
    origin,
    base,
    atATime: PAGES_AT_A_TIME,
  })
  try {
    const output = await createExportFolder(target)
    try {
      const counts = await writeFiles({ options, build, rendered, output, onProgress })
      await output.commit()
      return { folder: target, build, ...counts, durationMs: performance.now() - startedAt }
    } catch (error) {
      await output.discard()
      throw error
    }
  } finally {
    await rendered.close()
  }
}

interface Writing {
  options: ExportOptions
  build: SiteBuild
  rendered: RenderedSite
  output: OutputFolder
  onProgress(step: ExportStep, done?: string): void
}

async function writeFiles({ options, build, rendered, output, onProgress }: Writing) {
  const { manifest, folder } = build
  const list = createFileList()
  async function copyAll(names: readonly string[], from: string, to: string) {
    for (const name of names) list.add(to + name, `the file ${to}${name}`)
    await mapWithLimit(names, FILES_AT_A_TIME, (name) => output.copy(join(folder, from, name), to + name))
  }
  async function write(name: string, source: string, contents: string) {
    list.add(name, source)
    await output.write(name, contents)
  }

  onProgress('exported files')
  const { publicFiles } = manifest
  const isOwn = (name: string) => name === REDIRECTS_FILE
  await copyAll(
    publicFiles.filter((name) => !isOwn(name)),
    BUILD_PATHS.public,
    '',
  )
  await copyAll(await listAssets(join(folder, BUILD_PATHS.client)), BUILD_PATHS.client, ASSETS_PATH.slice(1))
  onProgress('exported pages')
  const addresses = listAddresses(build)
  const redirects: Redirect[] = []
  let done = 0
  await mapWithLimit(addresses, PAGES_AT_A_TIME, async (address) => {
    const { document, lines, redirect } = await rendered.renderPage(address)
    const source = `the page ${address.path}`
    await write(documentFile(address.path, options.inFolders), source, document)
    await write(decodePath(navigationFile(manifest.buildId, address.path)), source, lines)
    if (redirect) redirects.push({ path: withBase(rendered.base, address.path), ...redirect })
    onProgress('exported pages', `${++done} of ${addresses.length}`)
  })
  const { document, headers } = await rendered.renderNotFound()
  if (!list.has('404.html')) await write('404.html', 'the page for unknown paths', document)
  const assets = withBase(rendered.base, ASSETS_PATH)
  if (!list.has('_headers')) await write('_headers', 'the headers', headersFile(rendered.base, assets, headers))
  const given = publicFiles.some(isOwn) ? await readFile(join(folder, BUILD_PATHS.public, REDIRECTS_FILE), 'utf8') : ''
  const rules = redirectsFile(given, redirects)
  if (rules !== '') await write(REDIRECTS_FILE, 'the redirects', rules)
  // GitHub Pages leaves out folders that begin with an underscore, unless there is this file.
  await write('.nojekyll', 'the marker for GitHub Pages', '')
  await write(MARKER, 'the marker of the export', 'The command "hydrant export" replaces this folder.\n')
  return { pages: addresses.length, files: list.size }
}

/** Returns the assets without their compressed copies: hosts compress files themselves. */
async function listAssets(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names.filter((name) => !/\.(?:br|gz)$/.test(name)).sort()
}

/** Returns the prerendered pages. Their paths may be percent-encoded. */
function listAddresses({ folder }: SiteBuild): PageAddress[] {
  const { index } = openPrerendered(folder) ?? {}
  const length = index === undefined || index.base === '/' ? 0 : index.base.length
  return (index?.pages ?? []).map(({ route, path }) => ({ route, path: path.slice(length) || '/' }))
}

interface Redirect {
  /** The path of the page, with the base. */
  path: string
  /** The value of the header `Location`. */
  location: string
  status: number
}

/** The statuses of permanent redirects: https://www.rfc-editor.org/rfc/rfc9110#section-15.4 */
const PERMANENT = [301, 308]

/**
 * Returns the file `_redirects`, which Netlify, Cloudflare Pages and GitLab Pages read. All of them know 301 and 302, which
 * mean the same as the other statuses for a file.
 *
 * @param given The site's own rules, which come first: hosts use the first rule that matches.
 */
function redirectsFile(given: string, redirects: readonly Redirect[]): string {
  const rules = redirects.map(
    ({ path, location, status }) => `${path} ${location} ${PERMANENT.includes(status) ? 301 : 302}\n`,
  )
  const start = given === '' || given.endsWith('\n') ? given : `${given}\n`
  return start + rules.sort(compareText).join('')
}

/** Returns the file `_headers` of Netlify and Cloudflare Pages. Browsers ignore headers of documents for others. */
function headersFile(
  base: string,
  assets: string,
  documents: readonly (readonly [name: string, value: string])[],
): string {
  // The part of the policy that an element cannot have.
  const headers = [...documents, ['content-security-policy', "frame-ancestors 'self'"] as const]
  const rules = headers.map(([name, value]) => `  ${name}: ${value}\n`).join('')
  return `${withBase(base, '/*')}\n${rules}\n${assets}*\n  cache-control: public, max-age=31536000, immutable\n`
}

/** The exports of server files that run for each request, or read the query. */
export const SERVER_EXPORTS: readonly string[] = ['guard', 'action', 'actions', 'form', 'search', 'live', 'loadVisitor']

/** Finds the parts of a site that need a server: HYD_EXPORT_NEEDS_SERVER and HYD_EXPORT_NOT_PRERENDERED. */
export async function findServerNeeds({ siteDir, site, exports, config }: CheckedSite): Promise<BuildProblem[]> {
  const problems: BuildProblem[] = []
  const needs = (part: string, location: SourceLocation) =>
    problems.push(createProblem('HYD_EXPORT_NEEDS_SERVER', [part], location))
  if (site.serverPlugin !== null) {
    needs(`the hooks and routes of ${site.serverPlugin}`, await findExport(siteDir, site.serverPlugin, 'default'))
  }
  if (site.config !== null && Array.isArray(config.hosts) && config.hosts.length > 0) {
    needs('the option "hosts"', await findOption(siteDir, site.config, 'hosts'))
  }
  for (const { file } of site.serverFiles) {
    for (const name of exports.get(file) ?? []) {
      if (SERVER_EXPORTS.includes(name)) needs(`the export "${name}"`, await findExport(siteDir, file, name))
    }
  }
  const serverFiles = new Set(site.serverFiles.map(({ file }) => file))
  for (const { id, page } of site.routes) {
    const files = [page, ...serverFileKeys(page).filter((key) => serverFiles.has(key))]
    const names = files.map((file) => exports.get(file))
    // A file with a syntax error has no known exports. The bundles report the error.
    if (names.some((known) => known === undefined || known.includes('prerender'))) continue
    const location = await findExport(siteDir, page, 'default')
    problems.push(createProblem('HYD_EXPORT_NOT_PRERENDERED', [id], location))
  }
  return problems
}

/** Finds the line of the configuration that sets an option. It may also be set in a module that the file imports. */
async function findOption(siteDir: string, file: string, name: string): Promise<SourceLocation> {
  const lines = (await readFile(join(siteDir, file), 'utf8')).split('\n')
  const index = lines.findIndex((line) =>
    new RegExp(`^\\s*(?:export default .*)?["']?\\b${name}["']?\\s*[:,]`).test(line),
  )
  return fileAt(file, index === -1 ? null : index + 1)
}

/** A file that identifies the folder of an export, so that the next one may replace it. */
export const MARKER = '.hydrant-export'

/** Folders of a site that a command reads or replaces. */
const OWN_FOLDERS = ['pages', 'public', BUILD_FOLDER]

/** Returns the folder to write. Throws HYD_EXPORT_FOLDER for one of the site, or with files of no export. */
export async function checkExportFolder(dir: string, out: string | undefined): Promise<string> {
  const siteDir = realpathSync(dir)
  const target = out === undefined ? join(siteDir, 'export') : resolve(out)
  const [first = ''] = relative(siteDir, target).split(sep)
  // Windows and macOS ignore case.
  if (OWN_FOLDERS.includes(first.toLowerCase()))
    throw createHydrantError('HYD_EXPORT_FOLDER', [target, `it is inside ${first}/`])
  const names = await readNames(target)
  if (names.length > 0 && !names.includes(MARKER))
    throw createHydrantError('HYD_EXPORT_FOLDER', [target, 'it contains files that no export has written'])
  return target
}

async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    if (hasCode(error, 'ENOTDIR')) throw createHydrantError('HYD_EXPORT_FOLDER', [folder, 'it is a file'])
    throw error
  }
}

/** Creates an empty folder next to the target, which replaces it with `commit`. */
export async function createExportFolder(target: string): Promise<OutputFolder> {
  const parent = dirname(target)
  await mkdir(parent, { recursive: true })
  const name = basename(target)
  // No other program may use this name: folders with this name are removed when their process has ended.
  return await createOutputFolder(parent, name, `.${name}.hydrant-export`)
}

/** Characters that a file name cannot have on one of the systems that a site may be exported on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const FORBIDDEN = /[\u0000-\u001f\\/:*?"<>|]/
/** Names of devices on Windows, and the endings that it removes: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const OF_WINDOWS = /^(?:con|prn|aux|nul|(?:com|lpt)[1-9¹²³])(?:\.|$)|[. ]$/i
const BAD_NAME =
  'a file name cannot be empty, end with a dot or a space, be that of a device of Windows, such as "con" or "aux", nor contain a control character or one of the characters \\ / : * ? " < > |'

/**
 * Returns the name of the file with the document of a page: `docs/intro.html`, or `docs/intro/index.html`, for which
 * most hosts redirect to `/docs/intro/`. Throws HYD_EXPORT_FILE for a path that cannot be a file name.
 *
 * @param path The path of the page, relative to the base.
 */
export function documentFile(path: string, inFolders: boolean): string {
  const name = decodePath(path)
  if (name === '') return 'index.html'
  return inFolders ? `${name}/index.html` : `${name}.html`
}

/** Returns the file name of a path that may be percent-encoded, without a slash at its start. Throws HYD_EXPORT_FILE. */
export function decodePath(path: string): string {
  const segments = path.slice(1).split('/').map(decodeURIComponent)
  const isBad = (segment: string) => segment === '' || FORBIDDEN.test(segment) || OF_WINDOWS.test(segment)
  if (path !== '/' && segments.some(isBad)) throw createHydrantError('HYD_EXPORT_FILE', [path, BAD_NAME])
  return segments.join('/')
}

/** Collects the files of an export. Two files with one name, also on a system that ignores case, are an error. */
export function createFileList() {
  const sources = new Map<string, string>()
  return {
    /** Throws HYD_EXPORT_FILE. */
    add(name: string, source: string) {
      const key = name.toLowerCase().normalize('NFC')
      const other = sources.get(key)
      if (other !== undefined)
        throw createHydrantError('HYD_EXPORT_FILE', [name, `${other} and ${source} would have this name`])
      sources.set(key, source)
    },
    has: (name: string) => sources.has(name.toLowerCase().normalize('NFC')),
    get size() {
      return sources.size
    },
  }
}
