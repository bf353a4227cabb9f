import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Mode } from '../../src/server/build-output/manifest.ts'
import { BUILD_FOLDER, BUILD_PATHS, MANIFEST_FORMAT, type Manifest } from '../../src/server/build-output/manifest.ts'
import { VERSION } from '../../src/server/build-output/read-build.ts'
import { BuildError, type BuildProblem, compareText, tidyProblems } from '../build-problem.ts'
import { createBundlesPart } from './bundles/bundle-site.ts'
import { checkExports, createExportReader, type FileExports } from './bundles/check-exports.ts'
import { findDoubtfulExports } from './bundles/doubtful-exports.ts'
import { createConfigPart } from './bundles/read-config.ts'
import { withoutNamespace } from './bundles/translate-message.ts'
import { type DiscoveredSite, discoverSite } from './discover/discover-site.ts'
import { readSite } from './discover/read-site.ts'
import { writeRouteTypes } from './discover/route-types.ts'
import { createOutputFolder, type OutputFolder } from './output/output-folder.ts'
import { keepPreviousFiles } from './output/previous-files.ts'
import { keepPreviousMaps } from './output/previous-maps.ts'
import { createPublicFiles } from './output/public-files.ts'
import type { ClientOutput } from './output/read-client-output.ts'
import { type ClientSizes, writeClientFiles } from './output/write-client-files.ts'

export type BuildStep = 'configuration' | 'pages' | 'bundles' | 'public files' | 'client files'

export interface BuildSiteOptions {
  /** The site's folder. */
  dir: string
  mode: Mode
  /** Name of the folder to write, in the site's folder ('.hydrant'). */
  folder?: string
  onProgress?(step: BuildStep): void
}

export interface SiteBuild {
  /** The absolute path of the folder that was written. */
  folder: string
  manifest: Manifest
  /** The site's configuration at the time of this build. */
  config: Record<string, unknown>
  /** The names that each file of the site exports. */
  exports: FileExports
  /** Sizes of the files in the client folder, by name. */
  sizes: ClientSizes
  /** How many files of the previous build were kept, for pages that are open in browsers. */
  keptFiles: number
  /** The warnings about names and those of esbuild, in the form of errors. */
  warnings: BuildProblem[]
  /** Every source file that the build read, relative to the site. */
  inputs: string[]
  durationMs: number
}

export interface SiteBuilder {
  /** Builds the site. On failure, throws a BuildError with every problem and leaves the last build unchanged. */
  compile(): Promise<SiteBuild>
  cancel(): Promise<void>
  dispose(): Promise<void>
}

/** Builds a site once and writes `<dir>/.hydrant/`. Throws BuildError. */
export async function buildSite(options: BuildSiteOptions): Promise<SiteBuild> {
  const builder = createSiteBuilder(options)
  try {
    return await builder.compile()
  } finally {
    await builder.dispose()
  }
}

/** Creates a builder that compiles repeatedly and reuses the parts that did not change. */
export function createSiteBuilder({ dir, mode, folder = BUILD_FOLDER, onProgress }: BuildSiteOptions): SiteBuilder {
  // esbuild reports paths with symbolic links resolved.
  const siteDir = realpathSync(dir)
  const target = resolve(siteDir, folder)
  const configuration = createConfigPart({ siteDir, folder, mode })
  const bundles = createBundlesPart({ siteDir, folder, mode })
  const readExports = createExportReader(siteDir)
  const publicFiles = createPublicFiles(siteDir)

  async function fill(output: OutputFolder): Promise<Omit<SiteBuild, 'durationMs' | 'folder'>> {
    onProgress?.('configuration')
    const read = await readSite(siteDir)
    const { site, problems, warnings: doubts } = discoverSite(read.files)
    const siteConfig = await configuration.compile(site.config, output)
    onProgress?.('pages')
    const exports = await readExports(site, siteConfig.options.loader)
    problems.push(...read.problems, ...siteConfig.problems, ...(await checkExports(siteDir, site, exports)))
    doubts.push(...(await findDoubtfulExports(siteDir, site, exports)))
    if (!siteConfig.isUsable) throw new BuildError(tidyProblems(problems))
    onProgress?.('bundles')
    const bundled = await bundles.compile(site, siteConfig)
    if ('problems' in bundled) throw new BuildError(tidyProblems([...problems, ...bundled.problems]))
    if (problems.length > 0) throw new BuildError(tidyProblems(problems))

    const { client, server, warnings, inputs } = bundled
    await output.write(BUILD_PATHS.server, server.code)
    await output.write(`${BUILD_PATHS.server}.map`, server.map)
    onProgress?.('public files')
    const published = await publicFiles.write(site.publicFiles, output)
    onProgress?.('client files')
    const sizes = await writeClientFiles(client, output, mode)
    const manifest = createManifest(site, mode, client, [siteConfig.key, server.code, ...published])
    await writeRouteTypes(siteDir, site)
    await output.write(BUILD_PATHS.manifest, `${JSON.stringify(manifest, null, 2)}\n`)
    // A timer or an open page of an earlier build may still fail; its stack is mapped with these.
    await keepMaps(manifest, client, output)
    // In development, open pages reload after each build.
    const keptFiles = mode === 'production' ? await keepPreviousFiles(target, manifest.clientFiles, output) : 0
    const { config } = siteConfig
    const sources = new Set([...siteConfig.inputs, ...inputs].map(withoutNamespace))
    return {
      manifest,
      config,
      exports,
      sizes,
      keptFiles,
      warnings: tidyProblems([...doubts, ...warnings]),
      inputs: [...sources],
    }
  }

  async function keepMaps({ buildId }: Manifest, { maps }: ClientOutput, output: OutputFolder) {
    await keepPreviousMaps(target, { buildId, maps: [...maps.keys()].map((name) => `${name}.map`) }, output)
  }

  return {
    async compile() {
      const startedAt = performance.now()
      const output = await createOutputFolder(siteDir, folder)
      try {
        const filled = await fill(output)
        await output.commit()
        return { ...filled, folder: target, durationMs: performance.now() - startedAt }
      } catch (error) {
        await output.discard()
        throw error
      }
    },
    async cancel() {
      await Promise.all([configuration.cancel(), bundles.cancel()])
    },
    async dispose() {
      await Promise.all([configuration.dispose(), bundles.dispose()])
    },
  }
}

export function createManifest(
  site: DiscoveredSite,
  mode: Mode,
  { dataReader, entry, entryImports, files, modules }: Omit<ClientOutput, 'maps'>,
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
    mode,
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
