import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type BuildOptions, type BuildResult, build, type Loader } from 'esbuild'
import { readCacheRule, readPrerenderRule } from '../../../src/server/build-output/cache-rule.ts'
import {
  LAYOUT_SERVER_EXPORTS,
  PAGE_SERVER_EXPORTS,
  serverFileKeys,
} from '../../../src/server/build-output/manifest.ts'
import {
  actionsOf,
  componentOf,
  guardOf,
  isHydrated,
  liveOf,
  loadOf,
  type ModuleExports,
  visitorLoadOf,
} from '../../../src/server/build-output/module-exports.ts'
import { readSchema, type SchemaName } from '../../../src/server/schemas/page-schemas.ts'
import { isPlainObject } from '../../../src/server/util/unknown-values.ts'
import { type BuildProblem, createProblem, fileAt } from '../../build-problem.ts'
import { mapWithLimit } from '../../map-with-limit.ts'
import { isKnownError } from '../../terminal/format-error.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { meantExport } from '../discover/other-frameworks.ts'
import { type BundleOptions, settle } from '../esbuild/bundler.ts'
import { parseScript } from '../output/edit-script.ts'
import { serverFileOf } from './doubtful-exports.ts'
import {
  ASYNC,
  findExport,
  findStar,
  OTHERS,
  readMdxExports,
  readWrittenValues,
  type SiteExports,
  UNKNOWN,
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
      await Promise.all(all.map(async (file) => [file, await stamp(resolve(siteDir, file))] as const)),
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
        const text = texts.get(resolve(siteDir, path))?.text ?? ''
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
    const [likely, ...others] = (await isCommonJs(resolve(siteDir, file))) ? ['module.exports'] : names
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
  for (const { file } of site.serverFiles) {
    const names = found.get(file) ?? []
    const other = names.includes('actions') && ['action', 'form'].find((name) => names.includes(name))
    if (!other) continue
    const place = await findExport(siteDir, file, 'actions')
    problems.push(createProblem('HYD_ACTIONS_EXPORT', [file, `cannot be beside the export "${other}"`], place))
  }
  problems.push(...(await checkValues(siteDir, site, values)))
  problems.push(...(await checkPrerender(siteDir, site, found, reported)))
  return problems
}

/** Throws the error that the server would throw for an export. */
type Check = (module: ModuleExports) => unknown

const NO_FILE: ModuleExports = { file: '', exports: {} }

const SERVER_FUNCTIONS: Record<string, Check> = { guard: guardOf, load: loadOf, live: liveOf }

/** The checks of exports, by the kind of the file and the name of the export. */
const CHECKS = {
  page: { default: componentOf, hydrate: isHydrated, prerender: (page) => checkPrerenderRule(NO_FILE, page) },
  component: { default: componentOf },
  layoutServer: SERVER_FUNCTIONS,
  pageServer: {
    ...SERVER_FUNCTIONS,
    action: actionsOf,
    actions: checkActions,
    cache: checkCache,
    prerender: (server) => checkPrerenderRule(server, NO_FILE),
    loadVisitor: ({ file, exports }: ModuleExports) => visitorLoadOf({ file, exports: { cache: UNKNOWN, ...exports } }),
    form: checkSchema,
    search: checkSchema,
    params: checkSchema,
  },
} as const satisfies Record<string, Record<string, Check>>

/** Finds exports whose written value the server would refuse. The server checks the values that only code shows. */
async function checkValues(
  siteDir: string,
  { components, serverFiles }: DiscoveredSite,
  values: ReadonlyMap<string, WrittenValues>,
): Promise<BuildProblem[]> {
  const files: { file: string; checks: Record<string, Check> }[] = [
    ...components
      // The compiler of MDX writes the component.
      .filter(({ file }) => !file.endsWith('.mdx'))
      .map(({ file, kind }) => ({ file, checks: kind === 'page' ? CHECKS.page : CHECKS.component })),
    ...serverFiles.map(({ file, kind }) => ({
      file,
      checks: kind === 'page' ? CHECKS.pageServer : CHECKS.layoutServer,
    })),
  ]
  const found = files.flatMap(({ file, checks }) =>
    [...(values.get(file) ?? [])].flatMap(([name, value]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      const error = check && errorOf(() => check({ file, exports: { [name]: value } }))
      return error ? [{ file, name, error }] : []
    }),
  )
  return Promise.all(
    found.map(async ({ file, name, error }) => ({ ...error, location: await findExport(siteDir, file, name) })),
  )
}

function errorOf(check: () => unknown): Pick<BuildProblem, 'code' | 'message' | 'fix'> | null {
  try {
    check()
    return null
  } catch (error) {
    if (!isKnownError(error)) throw error
    const { code, message, fix } = error
    // The code is from Hydrant's table.
    return { code: code as BuildProblem['code'], message, fix }
  }
}

/** Values that the rule accepts, for those that only the running code would show. */
const ACCEPTED = new Map<string, unknown>([
  ['maxAgeS', 0],
  ['staleS', 0],
  ['tags', []],
  ['search', []],
])

function checkCache({ file, exports: { cache } }: ModuleExports) {
  if (typeof cache !== 'object' || cache === null || Array.isArray(cache)) return readCacheRule({ cache }, file)
  const { [OTHERS]: others, ...given } = cache as Record<string, unknown>
  const entries = Object.entries(given).map(([name, value]) => [name, value === UNKNOWN ? ACCEPTED.get(name) : value])
  const filled = others === undefined ? {} : Object.fromEntries(ACCEPTED)
  return readCacheRule({ cache: { ...filled, ...Object.fromEntries(entries) } }, file)
}

/** Only one of the two files has the export. A name with brackets is a parameter of the path. */
function checkPrerenderRule(server: ModuleExports, page: ModuleExports) {
  return readPrerenderRule(server, page, /\[/.test(server.file + page.file))
}

/** Checks the written actions. Their schemas, and what a spread adds, are known only to the server. */
function checkActions({ file, exports: { actions } }: ModuleExports) {
  actionsOf({ file, exports: { actions: isPlainObject(actions) ? acceptUnknown(actions) : actions } })
}

function acceptUnknown(actions: object): object {
  const entries = Object.entries(actions).map(([name, value]: [string, unknown]) => {
    if (name === OTHERS) return ['others', ASYNC]
    if (value === UNKNOWN || !isPlainObject(value)) return [name, value === UNKNOWN ? ASYNC : value]
    const { action, [OTHERS]: others } = value as Record<string, unknown>
    return [name, { action: action === UNKNOWN || others ? ASYNC : action }]
  })
  return Object.fromEntries(entries)
}

function checkSchema({ file, exports }: ModuleExports) {
  const [[name, schema] = []] = Object.entries(exports)
  if (typeof schema === 'object' && schema !== null && ('~standard' in schema || OTHERS in schema)) return
  readSchema(name as SchemaName, schema, file)
}

/** The exports of a page's server file that a prerendered page cannot have, with their descriptions. */
const NEEDS_SERVER = new Map([
  ['guard', 'a guard'],
  ['action', 'an action'],
  ['actions', 'actions'],
  ['search', 'a schema for the query'],
  ['cache', 'the export "cache"'],
  ['live', 'topics of a live page'],
  ['loadVisitor', 'a part for each visitor'],
])

/** Finds pages that export `prerender` and need a server for each visitor. Leaves out the exports in `reported`. */
async function checkPrerender(
  siteDir: string,
  { routes }: DiscoveredSite,
  found: ReadonlyMap<string, readonly string[]>,
  reported: readonly string[],
): Promise<BuildProblem[]> {
  const serverOf = (file: string) => serverFileKeys(file).find((key) => found.has(key))
  const exportsOf = (file: string | undefined) =>
    file === undefined ? [] : (found.get(file) ?? []).filter((name) => !reported.includes(name))
  const problems = routes.flatMap(({ page, layouts }) => {
    const server = serverOf(page)
    const files = [page, server].filter((file) => exportsOf(file).includes('prerender'))
    const [file] = files
    if (file === undefined) return []
    const reasons = [
      ...(files.length > 1 ? [`${page} and ${server} export "prerender"; one of them is enough`] : []),
      ...exportsOf(server).flatMap((name) =>
        NEEDS_SERVER.has(name) ? [`${server} has ${NEEDS_SERVER.get(name)}`] : [],
      ),
      ...layouts.flatMap((layout) => {
        const around = serverOf(layout)
        return exportsOf(around).includes('guard') ? [`${around} has a guard for all pages below it`] : []
      }),
    ]
    return reasons.map((reason) => ({ page, file, reason }))
  })
  return Promise.all(
    problems.map(async ({ page, file, reason }) =>
      createProblem('HYD_PRERENDER_SERVER', [page, reason], await findExport(siteDir, file, 'prerender')),
    ),
  )
}
