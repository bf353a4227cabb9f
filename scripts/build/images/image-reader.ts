import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createProblem } from '../../build-problem.ts'
import { createQueue } from '../../map-with-limit.ts'
import { nameAsset } from '../esbuild/assets.ts'
import { measureImage, type SiteImage } from '../esbuild/image-modules.ts'
import { createImageCache, encodeImage, FORMATS, type LoadedSharp, loadSharp, type Sharp } from './encode-image.ts'

export interface ImageSummary {
  /** The number of copies that were encoded. */
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
