import { readFile } from 'node:fs/promises'
import { parse } from 'node:path'
import { mapWithLimit } from '../../map-with-limit.ts'
import type { Queue } from '../../queue.ts'
import { contentHash } from '../esbuild/content-hash.ts'
import type { SiteImage } from '../esbuild/image-modules.ts'
import type { CachedFile, ImageCache } from './image-cache.ts'
import type { Sharp } from './load-sharp.ts'

/**
 * The formats of the copies, with options for sharp. A browser uses the first format that it supports. Encoding AVIF
 * with this effort takes a sixth of the time that sharp's default effort of 4 takes, and the files are a tenth
 * larger.
 */
export const FORMATS = [
  { format: 'avif', options: { effort: 3 } },
  { format: 'webp', options: {} },
] as const
/**
 * The widths of copies. Each has about twice the pixels of the one before. Few windows are wider than the last one.
 */
const WIDTHS = [320, 480, 720, 1080, 1620, 2560]
/** The least ratio of the widest copy to a narrower one: a copy that is hardly narrower saves little. */
const LEAST_STEP = 1.2

/** An image of the site, before it is encoded. */
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

/**
 * Returns copies of an image in other formats and sizes. Leaves out a format whose widest copy is not smaller than the
 * image.
 */
export async function encodeImage(image: OriginalImage, encoder: Encoder): Promise<Source[]> {
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
