import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { join, parse } from 'node:path'
import { REMOVE } from '../../src/server/util/paths.ts'
import { firstLineOf } from '../../src/server/util/unknown-values.ts'
import { createProblem } from '../build-problem.ts'
import { createQueue, mapWithLimit, type Queue } from '../map-with-limit.ts'
import { renameWithRetries } from '../open-files.ts'
import { contentHash, nameAsset } from './esbuild/assets.ts'
import { measureImage, type SiteImage } from './esbuild/image-modules.ts'

export interface ImageSummary {
  encoded: number
  /** The number of copies that were in the cache. */
  cached: number
  /** The number of images that have no copies because sharp is not installed. */
  withoutSharp: number
}

/** The number of threads of Node.js, which encode, compress and read. */
const THREADS = 4

/**
 * Creates the reader for the images of a build. It reads each image once for both sides. With sharp, it encodes copies
 * or takes them from the cache.
 *
 * @param onEncode Called before the first copy is encoded.
 */
export function createImageReader(siteDir: string, onEncode: () => void) {
  const images = new Map<string, Promise<SiteImage>>()
  // Each encoder holds an image in memory, and each reader an open file.
  const queue = createQueue(Math.min(availableParallelism(), THREADS))
  const cache = createImageCache(join(siteDir, 'node_modules', '.cache', 'hydrant', 'images'), onEncode)
  let withoutSharp = 0
  let loaded: LoadedSharp | null = null

  async function read(path: string): Promise<SiteImage> {
    loaded ??= loadSharp(siteDir)
    const sharp = loaded.kind === 'loaded' ? loaded.sharp : null
    const { isStill, isTurned, bytes, key, ...image } = await queue(() => inspect(path, sharp))
    if (!isStill) return { ...image, sources: [] }
    if (!sharp) {
      withoutSharp++
      return { ...image, sources: [] }
    }
    const sources = await encodeImage({ path, key, bytes, isTurned, width: image.width }, { sharp, cache, queue })
    return { ...image, sources }
  }

  return {
    read(path: string) {
      const pending = images.get(path) ?? read(path)
      images.set(path, pending)
      return pending
    },
    /** Removes old files from the cache, and returns the numbers and warnings for the report. */
    async finish() {
      const { made, found } = cache.counts
      if (made + found > 0) await cache.prune()
      const warnings = loaded?.kind === 'broken' ? [createProblem('HYD_BUILD_SHARP', [loaded.reason])] : []
      const summary = { encoded: made, cached: found, withoutSharp: warnings.length > 0 ? 0 : withoutSharp }
      return { summary, warnings }
    },
  }
}

async function inspect(path: string, sharp: Sharp | null) {
  const contents = await readFile(path)
  const { isStill, isTurned, width, height } = measureImage(contents)
  const size = sharp && isStill ? await sizeIn(sharp, contents, isTurned) : { width, height }
  // Another encoder, or the same one with other options, makes other copies.
  const key = createHash('sha256')
    .update(contents)
    .update(JSON.stringify([sharp?.versions, FORMATS]))
  return {
    ...size,
    isStill,
    isTurned,
    original: { name: nameAsset(path, contents), path },
    bytes: contents.byteLength,
    key: key.digest('hex').slice(0, 32),
  }
}

/** Returns the size of an image in the orientation of its copies: sharp reads the orientation in every format. */
async function sizeIn(sharp: Sharp, contents: Uint8Array, isTurned: boolean) {
  const { width, height, orientation = 1 } = await sharp(contents, { failOn: 'error' }).metadata()
  return isTurned && orientation >= 5 ? { width: height, height: width } : { width, height }
}

/**
 * The formats of the copies, with options for sharp. A browser uses the first format that it supports. Encoding AVIF
 * with this effort takes a sixth of the time that sharp's default effort of 4 takes, and the files are a tenth
 * larger.
 */
const FORMATS = [
  { format: 'avif', options: { effort: 3 } },
  { format: 'webp', options: {} },
] as const
/** The widths of copies. Each has about twice the pixels of the one before. Few windows are wider than the last one. */
const WIDTHS = [320, 480, 720, 1080, 1620, 2560]
/** The least ratio of the widest copy to a narrower one: a copy that is hardly narrower saves little. */
const LEAST_STEP = 1.2

export interface OriginalImage {
  path: string
  /** Identifies the contents of the file, the encoders and their options. */
  key: string
  bytes: number
  /** Whether browsers turn the image as its EXIF data says. */
  isTurned: boolean
  /** The width in pixels, as browsers show the image. */
  width: number
}

export interface Encoder {
  sharp: Sharp
  cache: ImageCache
  queue: Queue
}

type Source = SiteImage['sources'][number]

/** Returns copies of an image in other formats and sizes, without formats whose widest copy is not smaller. */
async function encodeImage(image: OriginalImage, encoder: Encoder): Promise<Source[]> {
  const widths = widthsFor(image.width)
  const widest = widths.at(-1) ?? image.width
  const name = `${parse(image.path).name.replace(/[^\w.-]+/g, '-')}-${contentHash(image.key)}`
  const sources: Source[] = []
  for (const kind of FORMATS) {
    const encode = async (width: number) => ({ width, file: await encodeCopy(image, kind, width, encoder) })
    // One copy is encoded alone first: if the image is broken, libvips would mix the messages of several errors.
    const last = await encode(widest)
    if (last.file.bytes >= image.bytes) continue
    const narrower = await mapWithLimit(widths.slice(0, -1), widths.length, encode)
    const files = [...narrower, last].map(({ width, file }) => ({
      name: `${name}-${width}.${kind.format}`,
      path: file.path,
      width,
    }))
    sources.push({ type: `image/${kind.format}`, files })
  }
  return sources
}

function widthsFor(width: number): number[] {
  const widest = Math.min(width, WIDTHS.at(-1) ?? width)
  return [...WIDTHS.filter((one) => one * LEAST_STEP <= widest), widest]
}

async function encodeCopy(
  image: OriginalImage,
  { format, options }: (typeof FORMATS)[number],
  width: number,
  { sharp, cache, queue }: Encoder,
): Promise<CachedFile> {
  return await queue(() =>
    cache.get(`${image.key}-${width}.${format}`, async (path) => {
      // libvips caches files by their paths, even if they have changed. So it gets the contents.
      const original = sharp(await readFile(image.path), { failOn: 'error' })
      const turned = image.isTurned ? original.rotate() : original
      await turned.resize({ width }).toFormat(format, options).toFile(path)
    }),
  )
}

/** The part of the package `sharp` that is used. */
interface Sharp {
  (contents: Uint8Array, options: { failOn: 'error' }): Pipeline
  /** The versions of sharp and of the libraries in it, by their names. */
  versions: Readonly<Record<string, string>>
}

interface Pipeline {
  metadata(): Promise<{ width: number; height: number; orientation?: number }>
  /** Without an angle, turns the image as its EXIF data says. */
  rotate(): Pipeline
  resize(options: { width: number }): Pipeline
  toFormat(format: 'avif' | 'webp', options: { effort?: number }): Pipeline
  toFile(path: string): Promise<unknown>
}

type LoadedSharp = { kind: 'loaded'; sharp: Sharp } | { kind: 'missing' } | { kind: 'broken'; reason: string }

/** Loads sharp as a module of the site would. The result is `broken` if the binary does not fit this machine. */
function loadSharp(siteDir: string): LoadedSharp {
  const require = createRequire(join(siteDir, 'package.json'))
  let path: string
  try {
    path = require.resolve('sharp')
  } catch {
    return { kind: 'missing' }
  }
  try {
    return { kind: 'loaded', sharp: require(path) }
  } catch (error) {
    return { kind: 'broken', reason: firstLineOf(error) }
  }
}

/** A cache of files that take long to create. The name of a file identifies the input that it was created from. */
type ImageCache = ReturnType<typeof createImageCache>

interface CachedFile {
  path: string
  bytes: number
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/** Creates a cache in a folder for several processes. `onMake` is called before the first file is made. */
function createImageCache(folder: string, onMake: () => void) {
  const counts = { made: 0, found: 0 }
  const files = new Map<string, Promise<CachedFile>>()

  async function find(path: string): Promise<CachedFile | null> {
    const found = await stat(path).catch(() => null)
    if (!found || found.size === 0) return null
    const now = new Date()
    counts.found++
    // The folder may belong to another user.
    await utimes(path, now, now).catch(() => {})
    return { path, bytes: found.size }
  }

  async function make(path: string, write: (path: string) => Promise<unknown>): Promise<CachedFile> {
    if (counts.made++ === 0) onMake()
    await mkdir(folder, { recursive: true })
    // Renamed when complete, because another process may read the file.
    const draft = `${path}.${randomUUID()}`
    try {
      await write(draft)
      await renameWithRetries(draft, path)
    } catch (error) {
      await rm(draft, REMOVE)
      throw error
    }
    return { path, bytes: (await stat(path)).size }
  }

  return {
    /** How many files were created, and how many were in the cache. */
    counts,
    /** Returns the file with this name. If there is none, `write` creates it at the path that it gets. */
    get(name: string, write: (path: string) => Promise<unknown>): Promise<CachedFile> {
      const path = join(folder, name)
      const pending = files.get(name) ?? find(path).then((file) => file ?? make(path, write))
      files.set(name, pending)
      return pending
    },
    /** Removes the files that no build has used for a month. */
    async prune() {
      const before = Date.now() - KEPT_MS
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name)
        const file = await stat(path).catch(() => null)
        if (file && file.mtimeMs < before) await rm(path, REMOVE)
      }
    },
  }
}
