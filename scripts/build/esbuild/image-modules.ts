import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Plugin } from 'esbuild'
import { imageSize } from '#image-size'
import type { ErrorCode } from '../../../src/server/errors/error-table.ts'
import { messageOf } from '../../../src/server/util/unknown-values.ts'
import { type Assets, type FileOnDisk, nameAsset } from './assets.ts'
import { resolveQuery } from './resolve-file.ts'
import { BASE_MODULE, type BundleTarget } from './virtual-modules.ts'

export const IMAGE_NAMESPACE = 'hydrant-image'
const FAILED = 'HYD_BUILD_IMAGE' satisfies ErrorCode

/** A published file of an image: the image itself or a copy. */
export interface ImageFile extends FileOnDisk {
  /** The name in the client folder. */
  name: string
}

/** An image that a module imports. */
export interface SiteImage {
  width: number
  height: number
  original: ImageFile
  /** Copies by media type. Browsers use the first type that they support. */
  sources: readonly { type: string; files: readonly (ImageFile & { width: number })[] }[]
}

/** Reads the image at an absolute path. Rejects if it cannot be shown or encoded. */
export type ReadImage = (path: string) => Promise<SiteImage>

/**
 * Creates the plugin that gives modules an object with the URL, the size and the copies of an image:
 * `import photo from './photo.jpg?image'`. Browser and server get the same object, under any base. An import without
 * `?image` stays a URL, for `<link>`, `og:image` and CSS.
 */
export function createImageModules(siteDir: string, target: BundleTarget, read: ReadImage): Assets<FileOnDisk> {
  const files = new Map<string, FileOnDisk>()
  const plugin: Plugin = {
    name: IMAGE_NAMESPACE,
    setup(build) {
      build.onStart(() => files.clear())
      build.onResolve({ filter: /\.(?:png|jpe?g|webp|avif|gif|svg)\?image$/i }, (args) =>
        // In a stylesheet, this is a URL with a query.
        args.kind === 'url-token' ? null : resolveQuery(build, args, { siteDir, namespace: IMAGE_NAMESPACE }),
      )
      build.onResolve({ filter: /\?image$/i }, ({ path, kind }) => {
        if (kind === 'url-token') return null
        const problem = 'its name does not end with .png, .jpg, .jpeg, .webp, .avif, .gif or .svg'
        return {
          errors: [{ text: problem, detail: { code: FAILED, values: [path.slice(0, -'?image'.length), problem] } }],
        }
      })
      build.onLoad({ filter: /./, namespace: IMAGE_NAMESPACE }, async ({ path: sitePath }) => {
        const path = resolve(siteDir, sitePath)
        try {
          const image = await read(path)
          for (const { name, ...file } of filesOf(image)) files.set(name, file)
          return { contents: writeModule(target, image), loader: 'js', resolveDir: siteDir, watchFiles: [path] }
        } catch (error) {
          const detail = { code: FAILED, values: [sitePath, messageOf(error)] }
          return {
            errors: [{ text: messageOf(error), detail, location: { file: sitePath } }],
            watchFiles: [path],
          }
        }
      })
    },
  }
  return { plugin, files }
}

function filesOf({ original, sources }: SiteImage): ImageFile[] {
  return [original, ...sources.flatMap((source) => source.files.map(({ name, path }) => ({ name, path })))]
}

/** Names and types contain no character that has a meaning in a template string. */
function writeModule(target: BundleTarget, { width, height, original, sources }: SiteImage): string {
  const folder =
    target === 'browser'
      ? "const folder = new URL('.', import.meta.url).pathname"
      : `import { assets as folder } from '${BASE_MODULE}'`
  const list = sources.map(({ type, files }) => {
    const srcSet = files.map((file) => `\${folder}${file.name} ${file.width}w`).join(', ')
    return `{ type: '${type}', srcSet: \`${srcSet}\` }`
  })
  return `${folder}
export default { src: folder + '${original.name}', width: ${width}, height: ${height}, sources: [${list.join(', ')}] }
`
}

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
