import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  BUILD_FOLDER,
  BUILD_PATHS,
  MANIFEST_FORMAT,
  type Manifest,
  serverFileKeys,
} from '../../src/server/build-output/manifest.ts'
import { VERSION } from '../../src/server/build-output/read-build.ts'
import { toFile } from '../../src/server/failures/stacks/source-map-file.ts'
import { toSitePath } from '../../src/server/util/paths.ts'
import { BuildError, type BuildProblem, compareText, createProblem, tidyProblems } from '../build-problem.ts'
import { describeWrongReact, readReact } from '../check-react.ts'
import { bundleSite } from './bundles/bundle-site.ts'
import { checkExports, createExportReader, type FileExports } from './bundles/check-exports.ts'
import { findDoubtfulExports } from './bundles/doubtful-exports.ts'
import { compileConfig } from './bundles/read-config.ts'
import type { SiteExports } from './bundles/read-exports.ts'
import { type DiscoveredSite, discoverSite } from './discover/discover-site.ts'
import { readSite } from './discover/read-site.ts'
import { writeRouteTypes } from './discover/route-types.ts'
import { requireEsbuild } from './esbuild/bundler.ts'
import { findIgnoredSettings } from './esbuild/ignored-settings.ts'
import { createImageReader, type ImageSummary } from './images.ts'
import type { ServerOutput } from './output/complete-server-output.ts'
import { createOutputFolder, type OutputFolder } from './output/output-folder.ts'
import type { ClientOutput } from './output/read-client-output.ts'
import {
  type ClientSizes,
  copyPublicFiles,
  keepPreviousFiles,
  keepPreviousMaps,
  writeClientFiles,
} from './output/write-client-files.ts'
import { type PrerenderSummary, prerenderSite } from './prerender/prerender-site.ts'

export type BuildStep =
  | 'configuration'
  | 'pages'
  | 'bundles'
  | 'images'
  | 'public files'
  | 'client files'
  | 'prerendered pages'

export interface BuildSiteOptions {
  dir: string
  /** @param done How much of the step is done: `3 of 12`. */
  onProgress?(step: BuildStep, done?: string): void
  /** Looks for more problems of the site (none). */
  check?: SiteCheck
}

export interface SiteCheck {
  /** Names of exports of server files that `find` reports. The check of prerendered pages ignores these exports. */
  exports: readonly string[]
  find(site: CheckedSite): Promise<BuildProblem[]>
}

/** The data of a site that a build has before it writes the bundles. */
export interface CheckedSite {
  /** The site's folder, with symbolic links resolved. */
  siteDir: string
  site: DiscoveredSite
  exports: FileExports
  /** The default export of `hydrant.config.ts`. */
  config: Readonly<Record<string, unknown>>
}

export interface SiteBuild {
  /** The absolute path of the folder that was written. */
  folder: string
  manifest: Manifest
  /** The names that each file of the site exports. */
  exports: FileExports
  /** The values that are written in its files. */
  values: SiteExports['values']
  sizes: ClientSizes
  /** How many files of earlier builds were kept, for pages that are open in browsers. */
  keptFiles: number
  images: ImageSummary
  /** Null for a site without prerendered pages. */
  prerendered: PrerenderSummary | null
  /** Warnings about names, and warnings of esbuild, as problems. */
  warnings: BuildProblem[]
  durationMs: number
}

/** Builds a site, or leaves the last build and throws a BuildError with every problem, or HYD_ESBUILD_MISSING. */
export async function buildSite({ dir, onProgress = () => {}, check }: BuildSiteOptions): Promise<SiteBuild> {
  const startedAt = performance.now()
  await requireEsbuild()
  // esbuild reports paths with symbolic links resolved.
  const siteDir = realpathSync(dir)
  const output = await createOutputFolder(siteDir, BUILD_FOLDER)
  try {
    const filled = await fill(siteDir, output, onProgress, check)
    await output.commit()
    return { ...filled, folder: join(siteDir, BUILD_FOLDER), durationMs: performance.now() - startedAt }
  } catch (error) {
    await output.discard()
    throw error
  }
}

async function fill(
  siteDir: string,
  output: OutputFolder,
  onProgress: NonNullable<BuildSiteOptions['onProgress']>,
  check: BuildSiteOptions['check'],
): Promise<Omit<SiteBuild, 'durationMs' | 'folder'>> {
  onProgress('configuration')
  const files = await readSite(siteDir)
  const { site, problems, warnings: doubts } = discoverSite(files.files)
  await writeRouteTypes(siteDir, site)
  const config = await compileConfig({ siteDir, folder: BUILD_FOLDER, file: site.config }, output)
  onProgress('pages')
  const read = await createExportReader(siteDir)(site, config.options.loader)
  const exports = read.names
  problems.push(...files.problems, ...config.problems, ...(await checkExports(siteDir, site, read, check?.exports)))
  doubts.push(...(await findDoubtfulExports(siteDir, site, read)), ...findIgnoredSettings(siteDir, config.options))
  if (check) problems.push(...(await check.find({ siteDir, site, exports, config: config.config })))
  const wrongReact = describeWrongReact(readReact(siteDir))
  if (wrongReact !== null) problems.push(createProblem('HYD_REACT_VERSION', [wrongReact]))
  if (!config.isUsable || wrongReact !== null) throw new BuildError(tidyProblems(problems))
  onProgress('bundles')
  const formPages = findFormPages(site, exports)
  const images = createImageReader(siteDir, () => onProgress('images'))
  const { options } = config
  const bundled = await bundleSite({
    siteDir,
    folder: BUILD_FOLDER,
    site,
    options,
    formPages,
    exports,
    readImage: images.read,
  })
  if ('problems' in bundled) throw new BuildError(tidyProblems([...problems, ...bundled.problems]))
  if (problems.length > 0) throw new BuildError(tidyProblems(problems))

  const { client, server, warnings } = bundled
  await output.write(BUILD_PATHS.server, server.code)
  await output.write(`${BUILD_PATHS.server}.map`, server.map)
  onProgress('public files')
  const published = await copyPublicFiles(siteDir, site.publicFiles, output)
  onProgress('client files')
  const sizes = await writeClientFiles(client, output)
  const places = placesIn(siteDir, server)
  const manifest = { ...createManifest(site, client, [config.key, server.code, ...published]), places }
  await output.write(BUILD_PATHS.manifest, `${JSON.stringify(manifest, null, 2)}\n`)
  const kept = BUILD_PATHS.keptServer(manifest.buildId)
  await output.write(kept, server.code)
  await output.write(`${kept}.map`, server.map)
  const keptFiles = await keepPrevious(join(siteDir, BUILD_FOLDER), manifest, client, output)
  const { summary, warnings: ofImages } = await images.finish()
  const prerendered = await prerender(siteDir, exports, output, onProgress)
  const all = tidyProblems([...doubts, ...warnings, ...ofImages])
  return { manifest, exports, values: read.values, sizes, keptFiles, images: summary, prerendered, warnings: all }
}

/** Renders the pages that export `prerender`, if there are any. Throws BuildError. */
async function prerender(
  siteDir: string,
  exports: FileExports,
  { path }: OutputFolder,
  onProgress: NonNullable<BuildSiteOptions['onProgress']>,
): Promise<PrerenderSummary | null> {
  if (![...exports.values()].some((names) => names.includes('prerender'))) return null
  const step = 'prerendered pages'
  onProgress(step)
  const outcome = await prerenderSite({
    folder: path,
    siteDir,
    onProgress: (done, total) => onProgress(step, `${done} of ${total}`),
  })
  if ('problems' in outcome) throw new BuildError(tidyProblems(outcome.problems))
  return outcome
}

function findFormPages({ components }: DiscoveredSite, exports: FileExports): ReadonlySet<string> {
  const hasForm = (file: string) =>
    serverFileKeys(file).some((key) => exports.get(key)?.some((name) => name === 'form' || name === 'actions'))
  return new Set(components.flatMap(({ file, kind }) => (kind === 'page' && hasForm(file) ? [file] : [])))
}

/** Keeps files of earlier builds. Returns how many of them browsers can still request. */
async function keepPrevious(
  folder: string,
  { buildId, clientFiles }: Manifest,
  { maps }: ClientOutput,
  output: OutputFolder,
): Promise<number> {
  await keepPreviousMaps(folder, { buildId, maps: [...maps.keys()].map((name) => `${name}.map`) }, output)
  return await keepPreviousFiles(folder, clientFiles, output)
}

/** Returns the places of the functions that are measured. They do not change the id of the build. */
function placesIn(siteDir: string, { places }: ServerOutput): NonNullable<Manifest['places']> {
  const serverDir = dirname(join(siteDir, BUILD_FOLDER, BUILD_PATHS.server))
  return Object.fromEntries(
    [...places].map(([key, { source, line }]) => [
      key,
      `${toSitePath(siteDir, toFile(serverDir, source))}:${line + 1}`,
    ]),
  )
}

function createManifest(
  site: DiscoveredSite,
  { dataReader, entry, entryImports, files, modules }: ClientOutput,
  contents: readonly (string | Uint8Array)[],
): Manifest {
  // The keys have a fixed order, so that equal builds are equal byte by byte.
  const manifest = {
    clientFiles: [...files.keys()].sort(compareText),
    dataReader,
    entry,
    entryImports,
    format: MANIFEST_FORMAT,
    hydrant: VERSION,
    mode: 'production',
    modules,
    publicFiles: site.publicFiles,
    root: site.root,
    routes: site.routes,
    serverPlugin: site.serverPlugin,
  } satisfies Omit<Manifest, 'buildId'>
  // The manifest covers the content of the client's files: their names are hashes of it.
  const hash = createHash('sha256').update(JSON.stringify(manifest))
  for (const part of contents) hash.update('\0').update(part)
  return { buildId: hash.digest('hex').slice(0, 16), ...manifest }
}
