import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, type BuildResult, build, type Loader } from 'esbuild'
import { LAYOUT_SERVER_EXPORTS, PAGE_SERVER_EXPORTS } from '../../../src/server/build-output/manifest.ts'
import { type BuildProblem, createProblem, fileAt } from '../../build-problem.ts'
import { mapWithLimit } from '../../map-with-limit.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { meantExport } from '../discover/other-frameworks.ts'
import { type BundleOptions, settle } from '../esbuild/bundler.ts'
import { parseScript } from '../output/edit-script.ts'
import { checkPrerender, checkValues } from './check-values.ts'
import { serverFileOf } from './doubtful-exports.ts'
import {
  findExport,
  findStar,
  readMdxExports,
  readWrittenValues,
  type SiteExports,
  type WrittenValues,
} from './read-exports.ts'

/** The names that each file exports, by its path in the site. Files that esbuild cannot parse are left out. */
export type FileExports = ReadonlyMap<string, readonly string[]>

export type ReadExports = (site: DiscoveredSite, loader: Record<string, Loader>) => Promise<SiteExports>

interface ReadFile {
  names: readonly string[]
  values: WrittenValues
  /** The modules of `export * from`. */
  stars: readonly string[]
}

/** Begins the line of an `export * from` that esbuild writes. Other text may look like it. */
const STAR = /^export \*/m

type RunEsbuild = (options: BuildOptions & { metafile: true }) => Promise<BuildResult<BundleOptions>>

const runEsbuild: RunEsbuild = (options) => build({ ...options, write: false })

/** Creates a reader of exports. It parses a file again only when the file has changed. */
export function createExportReader(siteDir: string, run = runEsbuild): ReadExports {
  const cache = new Map<string, ReadFile & { stamp: string }>()

  return async (site, loader) => {
    const files = [...site.components, ...site.serverFiles].map(({ file }) => file)
    const all = [...files, site.serverPlugin, site.config].filter((file) => file !== null)
    const stamps = new Map(
      await Promise.all(all.map(async (file) => [file, await stamp(join(siteDir, file))] as const)),
    )
    const changed = all.filter((file) => cache.get(file)?.stamp !== stamps.get(file))
    for (const file of changed) cache.delete(file)
    for (const [file, exports] of await parseExports(siteDir, changed, loader, run)) {
      cache.set(file, { stamp: stamps.get(file) ?? '', ...exports })
    }
    const read = all.flatMap((file) => {
      const found = cache.get(file)
      return found ? [[file, found] as const] : []
    })
    return {
      names: new Map(read.map(([file, { names }]) => [file, names])),
      values: new Map(read.map(([file, { values }]) => [file, values])),
      stars: new Map(read.map(([file, { stars }]) => [file, stars])),
    }
  }
}

async function stamp(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path)
  return `${size} ${mtimeMs} ${ino}`
}

/**
 * The most files in one run of esbuild. When esbuild does not bundle, it allocates a table of all files for each of
 * them, so that the memory and the time of a run grow with the square of their number.
 */
const RUN_FILES = 64
/** One run prints its files while the next one reads its own. */
const RUNS_AT_A_TIME = 2

async function parseExports(
  siteDir: string,
  files: readonly string[],
  loader: Record<string, Loader>,
  run: RunEsbuild,
): Promise<ReadonlyMap<string, ReadFile>> {
  const parts = Array.from({ length: Math.ceil(files.length / RUN_FILES) }, (_, part) =>
    files.slice(part * RUN_FILES, (part + 1) * RUN_FILES),
  )
  const found = await mapWithLimit(parts, RUNS_AT_A_TIME, (part) => parsePart(siteDir, part, loader, run))
  return new Map(found.flat())
}

async function parsePart(
  siteDir: string,
  files: readonly string[],
  loader: Record<string, Loader>,
  run: RunEsbuild,
): Promise<(readonly [file: string, exports: ReadFile])[]> {
  const options = {
    absWorkingDir: siteDir,
    // Without bundling, esbuild lists the exports of each file by itself.
    bundle: false,
    format: 'esm',
    jsx: 'automatic',
    loader,
    logLevel: 'silent',
    logLimit: 0,
    metafile: true,
    outdir: siteDir,
    plugins: [readMdxExports],
    // The site knows a linked file by the path of the link.
    preserveSymlinks: true,
  } as const satisfies BuildOptions
  const entryPoints = new Set(files)
  while (entryPoints.size > 0) {
    const outcome = await settle(() => run({ ...options, entryPoints: [...entryPoints] }))
    if (outcome.ok) {
      const { metafile, outputFiles } = outcome.result
      const texts = new Map(outputFiles.map((output) => [output.path, output]))
      return Object.entries(metafile.outputs).map(([path, { entryPoint = '', exports }]) => {
        const names = allExports(entryPoint, exports)
        const text = texts.get(join(siteDir, path))?.text ?? ''
        return [entryPoint, { names, values: readWrittenValues(text, names), stars: readStars(text) }]
      })
    }
    // Leave out the broken files. The bundles report their errors, with the site's esbuild plugins applied.
    const broken = outcome.errors.filter(({ location }) => location && entryPoints.delete(location.file))
    if (broken.length === 0) break
  }
  return []
}

/** Returns the modules of `export * from`. */
function readStars(code: string): string[] {
  if (!STAR.test(code)) return []
  return parseScript(code).body.flatMap((node) =>
    node.type === 'ExportAllDeclaration' && node.exported === null ? [String(node.source.value)] : [],
  )
}

/** Adds the component, which the compiler of MDX always exports. */
function allExports(file: string, exports: readonly string[]): readonly string[] {
  return file.endsWith('.mdx') ? [...new Set(['default', ...exports])] : exports
}

async function isCommonJs(path: string): Promise<boolean> {
  return /^\s*module\.exports\s*=/m.test(await readFile(path, 'utf8'))
}

/** The load of a server file is often written as the default export, as the component of a page is. */
function hintAtDefault(name: string, names: readonly string[] = []): string {
  return name === 'default' && !names.includes('load') ? '; did you mean "export function load"?' : ''
}

/**
 * Finds components without a default export, guards outside of server files, exports of server files that Hydrant does not
 * know, exports whose names are not written in the file, a `loadVisitor` without `cache`, exports with a wrong value, and
 * prerendered pages that need a server.
 *
 * @param reported Names of exports that another check reports. The check of prerendered pages ignores them (none).
 */
export async function checkExports(
  siteDir: string,
  site: DiscoveredSite,
  { names: found, values, stars }: SiteExports,
  reported: readonly string[] = [],
): Promise<BuildProblem[]> {
  const lacksDefault = (file: string) => found.get(file)?.includes('default') === false
  const hintAt = async (file: string, isLikely: RegExp) => {
    const names = (found.get(file) ?? []).filter((name) => isLikely.test(name))
    const [likely, ...others] = (await isCommonJs(join(siteDir, file))) ? ['module.exports'] : names
    return likely === undefined || others.length > 0 ? '' : `; did you mean "export default" for "${likely}"?`
  }
  const problems = await Promise.all(
    site.components
      .filter(({ file }) => lacksDefault(file))
      .map(async ({ file, kind }) =>
        // Components have capital letters. `Route` is the object that a page of TanStack Start exports.
        createProblem('HYD_BUILD_NO_COMPONENT', [file, kind, await hintAt(file, /^(?!Route$)[A-Z]/)], fileAt(file, 1)),
      ),
  )
  const { serverPlugin, config } = site
  if (serverPlugin !== null && lacksDefault(serverPlugin)) {
    problems.push(
      createProblem('HYD_BUILD_NO_PLUGIN', [serverPlugin, await hintAt(serverPlugin, /./)], fileAt(serverPlugin, 1)),
    )
  }
  if (config !== null && lacksDefault(config)) {
    problems.push(createProblem('HYD_BUILD_NO_CONFIG', [config, await hintAt(config, /./)], fileAt(config, 1)))
  }
  for (const { file, kind } of site.serverFiles) {
    const allowed: readonly string[] = kind === 'page' ? PAGE_SERVER_EXPORTS : LAYOUT_SERVER_EXPORTS
    for (const name of found.get(file) ?? []) {
      if (allowed.includes(name)) continue
      const closest = name === 'default' ? undefined : meantExport(name, allowed)
      const list = allowed
        .map((one) => `"${one}"`)
        .join(', ')
        .replace(/, ([^,]*)$/, ' and $1')
      const values = [name, kind, list, closest ? `; did you mean "${closest}"?` : hintAtDefault(name, found.get(file))]
      problems.push(createProblem('HYD_BUILD_SERVER_EXPORT', values, await findExport(siteDir, file, name)))
    }
  }
  const pages = site.components.filter(({ kind }) => kind === 'page')
  for (const { file } of [...pages, ...site.serverFiles]) {
    for (const module of stars.get(file) ?? [])
      problems.push(createProblem('HYD_BUILD_EXPORT_ALL', [file, module], await findStar(siteDir, file, module)))
  }
  for (const { file, kind } of site.components) {
    if ((kind !== 'page' && kind !== 'layout') || !found.get(file)?.includes('guard')) continue
    const hint = `move it to ${serverFileOf(file, found).path}: without it, anyone can open the page`
    const place = await findExport(siteDir, file, 'guard')
    problems.push(createProblem('HYD_BUILD_PAGE_EXPORT', [file, 'guard', hint], place))
  }
  for (const { file, kind } of reported.includes('loadVisitor') ? [] : site.serverFiles) {
    const names = found.get(file) ?? []
    if (kind !== 'page' || !names.includes('loadVisitor') || names.includes('cache')) continue
    const place = await findExport(siteDir, file, 'loadVisitor')
    problems.push(createProblem('HYD_VISITOR_LOAD', [file, 'needs the export "cache"'], place))
  }
  problems.push(...(await checkValues(siteDir, site, values)))
  problems.push(...(await checkPrerender(siteDir, site, found, reported)))
  return problems
}
