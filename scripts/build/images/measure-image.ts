import { readFile } from 'node:fs/promises'
import { imageSize } from '#image-size'
import { nameAsset } from '../esbuild/assets.ts'
import type { ReadImage } from '../esbuild/image-modules.ts'

/** The formats that browsers show in `<img>`. */
const SHOWN = ['avif', 'gif', 'jpg', 'png', 'svg', 'webp']

/** The size of an image as browsers show it. */
export interface Measured {
  width: number
  height: number
  /** Whether it is one picture of pixels: neither an animation nor a drawing. */
  isStill: boolean
  /** Whether browsers turn the image as its EXIF data says. */
  isTurned: boolean
}

/** Reads the size of an image from the head of its file. Throws if it is no image that browsers show. */
export function measureImage(contents: Buffer): Measured {
  const { type = '', width, height, orientation = 1 } = readHead(contents)
  if (!SHOWN.includes(type)) throw new Error(`browsers do not show its format, ${type}`)
  if (!(width > 0 && height > 0)) throw new Error('it has no width or no height')
  // From the fifth orientation of EXIF on, the image lies on its side.
  const size = orientation >= 5 ? { width: height, height: width } : { width, height }
  return { ...size, isStill: isStill(type, contents), isTurned: type !== 'webp' }
}

/** Reads an image without copies in other formats. */
export const readPlainImage: ReadImage = async (path) => {
  const contents = await readFile(path)
  const { width, height } = measureImage(contents)
  return { width, height, original: { name: nameAsset(path, contents), path }, sources: [] }
}

function readHead(contents: Buffer) {
  try {
    return imageSize(contents)
  } catch (error) {
    // The message of an unknown format contains `undefined`.
    throw new Error('its size cannot be read', { cause: error })
  }
}

function isStill(type: string, contents: Buffer): boolean {
  switch (type) {
    case 'png': {
      // An animation has this chunk before its pixels.
      const animation = contents.indexOf('acTL')
      return animation === -1 || animation > contents.indexOf('IDAT')
    }
    case 'webp':
      return contents.toString('latin1', 12, 16) !== 'VP8X' || (contents.readUInt8(20) & ANIMATION) === 0
    case 'avif':
    case 'jpg':
      return true
    default:
      return false
  }
}

/** The flag of a WebP file with several pictures. */
const ANIMATION = 0b10
