import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import { contentHash, type FileOnDisk } from '../esbuild/assets.ts'
import type { OutputFolder } from './output-folder.ts'
import type { ClientOutput } from './read-client-output.ts'

/** The sizes of each file, as it is and gzipped; equal when the file has no gzipped copy. */
export type ClientSizes = Map<string, { bytes: number; gzipBytes: number }>

/** How many files are compressed at a time. zlib uses four threads; a higher number only needs more memory. */
const AT_A_TIME = 8

/** Writes the browser's files with their compressed copies, and their source maps. */
export async function writeClientFiles(client: ClientOutput, output: OutputFolder): Promise<ClientSizes> {
  const sizes: ClientSizes = new Map()
  await mapWithLimit(client.files, AT_A_TIME, async ([name, content]) => {
    const contents = await contentsOf(content)
    await output.write(`${BUILD_PATHS.client}/${name}`, contents)
    const compressed = await precompress(name, contents)
    for (const file of compressed) await output.write(`${BUILD_PATHS.client}/${file.name}`, file.contents)
    const zipped = compressed.find((file) => file.name.endsWith('.gz'))
    sizes.set(name, { bytes: contents.byteLength, gzipBytes: (zipped?.contents ?? contents).byteLength })
  })
  await mapWithLimit(client.maps, AT_A_TIME, ([name, contents]) =>
    output.write(`${BUILD_PATHS.clientMaps}/${name}.map`, contents),
  )
  return sizes
}

async function contentsOf(content: string | Uint8Array | FileOnDisk): Promise<Uint8Array> {
  if (typeof content === 'string') return Buffer.from(content)
  return 'path' in content ? await readFile(content.path) : content
}

const compressible = /\.(m?js|css|svg|txt|json|xml|html|ttf|otf|eot|ico|wasm)$/i
/** In files of this size or smaller, compression saves less than the headers of a request. */
const LEAST_BYTES = 512

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

interface CompressedFile {
  name: string
  contents: Uint8Array
}

/** Compresses a file at the highest levels. Leaves out a copy that is not smaller than the file. */
async function precompress(name: string, contents: Uint8Array): Promise<CompressedFile[]> {
  if (!compressible.test(name) || contents.byteLength <= LEAST_BYTES) return []
  const [brotli, zipped] = await Promise.all([
    toBrotli(contents, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: contents.byteLength,
      },
    }),
    toGzip(contents, { level: 9 }),
  ])
  return [
    { name: `${name}.br`, contents: brotli },
    { name: `${name}.gz`, contents: zipped },
  ].filter((file) => file.contents.byteLength < contents.byteLength)
}

/** Copies the files of public/ into the build. Returns the path and the content hash of each. */
export async function copyPublicFiles(
  siteDir: string,
  paths: readonly string[],
  output: Pick<OutputFolder, 'copy'>,
): Promise<string[]> {
  return await mapWithLimit(paths, FILES_AT_A_TIME, async (path) => {
    const source = join(siteDir, 'public', path)
    await output.copy(source, `${BUILD_PATHS.public}/${path}`)
    return `${path} ${contentHash(await readFile(source))}`
  })
}

// Pages that are open in browsers during a deployment still request files of earlier builds. More than one build may lie
// between that of the server and the new one: a build that could not start was followed by its fix.

/** The number of earlier builds whose files and source maps are kept. */
const EARLIER_BUILDS = 4

/**
 * Keeps the browser's files of the build in `folder` and of those before it, with their compressed copies. `newFiles` are
 * the files that the new build writes itself. A build with the same files as another counts once. Returns the number of
 * files that were kept.
 */
export async function keepPreviousFiles(
  folder: string,
  newFiles: readonly string[],
  output: OutputFolder,
): Promise<number> {
  const present = new Set(await readdir(join(folder, BUILD_PATHS.client)).catch(() => []))
  const isNew = new Set(newFiles)
  const builds = (await readEarlierBuilds(folder)).filter((names) => !isSame(names, newFiles)).slice(0, EARLIER_BUILDS)
  const kept = [...new Set(builds.flat())].filter((name) => present.has(name) && !isNew.has(name))
  const files = kept.flatMap((name) => [name, `${name}.br`, `${name}.gz`]).filter((name) => present.has(name))
  await mapWithLimit(files, FILES_AT_A_TIME, (name) => output.keep(`${BUILD_PATHS.client}/${name}`))
  if (kept.length > 0) {
    const record = { builds: builds.map((clientFiles) => ({ clientFiles })) }
    await output.write(BUILD_PATHS.previous, `${JSON.stringify(record, null, 2)}\n`)
  }
  return kept.length
}

/** Returns the names of the files of each build, the last one first. */
async function readEarlierBuilds(folder: string): Promise<string[][]> {
  const last = fileNamesIn(await readJson(join(folder, BUILD_PATHS.manifest)))
  const record = await readJson(join(folder, BUILD_PATHS.previous))
  const builds: unknown = typeof record === 'object' && record !== null ? Reflect.get(record, 'builds') : null
  const earlier = Array.isArray(builds) ? builds.map((build) => fileNamesIn(build)) : []
  return [last, ...earlier].filter(
    (names, index, all) => names.length > 0 && all.findIndex((other) => isSame(other, names)) === index,
  )
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify(names) === JSON.stringify(others)
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null
  }
}

function fileNamesIn(json: unknown, field = 'clientFiles'): string[] {
  const list: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, field) : null
  // The folder is flat, and a name must not lead out of it.
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string' && basename(name) === name) : []
}

// Pages that were opened and servers that were started before the last build still report failures. Their stacks need
// the source maps of earlier builds.

interface KeptBuild {
  buildId: string
  /** Names of the files in the folder of maps. */
  maps: string[]
}

/** Keeps the source maps of earlier builds, and the server bundles that they need. `newMaps` are not kept. */
export async function keepPreviousMaps(
  folder: string,
  { buildId, maps: newMaps }: KeptBuild,
  output: OutputFolder,
): Promise<void> {
  const present = new Set(await readdir(join(folder, BUILD_PATHS.clientMaps)).catch(() => []))
  const last = await readLastBuild(folder, present)
  const builds = [...(last ? [last] : []), ...(await readKeptBuilds(folder))]
    .filter((build, index, all) => all.findIndex((one) => one.buildId === build.buildId) === index)
    .filter(
      (build) => build.buildId !== buildId && existsSync(join(folder, `${BUILD_PATHS.keptServer(build.buildId)}.map`)),
    )
    .slice(0, EARLIER_BUILDS)
  if (builds.length === 0) return
  const isNew = new Set(newMaps)
  const maps = new Set(builds.flatMap((build) => build.maps).filter((name) => present.has(name) && !isNew.has(name)))
  await mapWithLimit(maps, FILES_AT_A_TIME, (name) => output.keep(`${BUILD_PATHS.clientMaps}/${name}`))
  for (const build of builds) {
    const kept = BUILD_PATHS.keptServer(build.buildId)
    await output.keep(kept)
    await output.keep(`${kept}.map`)
  }
  await output.write(BUILD_PATHS.keptBuilds, `${JSON.stringify({ builds }, null, 2)}\n`)
}

async function readLastBuild(folder: string, present: ReadonlySet<string>): Promise<KeptBuild | null> {
  const manifest = await readJson(join(folder, BUILD_PATHS.manifest))
  const buildId = fieldOf(manifest, 'buildId')
  if (!isBuildId(buildId)) return null
  return {
    buildId,
    maps: fileNamesIn(manifest, 'clientFiles')
      .map((name) => `${name}.map`)
      .filter((name) => present.has(name)),
  }
}

async function readKeptBuilds(folder: string): Promise<KeptBuild[]> {
  const builds = fieldOf(await readJson(join(folder, BUILD_PATHS.keptBuilds)), 'builds')
  if (!Array.isArray(builds)) return []
  return builds.flatMap((build: unknown) => {
    const buildId = fieldOf(build, 'buildId')
    return isBuildId(buildId) ? [{ buildId, maps: fileNamesIn(build, 'maps') }] : []
  })
}

function fieldOf(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined
}

// The id becomes part of a path.
function isBuildId(value: unknown): value is string {
  return typeof value === 'string' && /^\w+$/.test(value) && basename(value) === value
}
