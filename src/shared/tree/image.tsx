import type { ComponentProps, ReactElement } from 'react'

/** An image that a module imports with `?image`: `import photo from './photo.jpg?image'`. */
export interface ImportedImage {
  /** The URL of the file. */
  readonly src: string
  /** The width in pixels, as browsers show the image: in the orientation of its EXIF data. */
  readonly width: number
  /** The height in pixels, as browsers show the image: in the orientation of its EXIF data. */
  readonly height: number
  /**
   * Copies in other formats: AVIF, then WebP. A format whose copies would have more bytes than the file is missing.
   * The list is empty in development, without the package `sharp`, and for SVG and animations.
   */
  readonly sources: readonly ImageSource[]
}

/** The copies of an image in one format. */
export interface ImageSource {
  /** The media type, such as `image/avif`. */
  readonly type: string
  /** The URLs of the copies with their widths, for the attribute `srcset`. */
  readonly srcSet: string
}

/** The props of `Image`: those of `<img>`, with an imported image as `src`. */
export interface ImageProps extends Omit<ComponentProps<'img'>, 'src' | 'srcSet' | 'alt' | 'width' | 'height'> {
  /** The image, imported with `?image`. */
  src: ImportedImage
  /** The text for visitors who do not see the image; empty for a decoration. */
  alt: string
  /** The width in CSS pixels (computed from `height`; without both, the width of the file). */
  width?: number | undefined
  /** The height in CSS pixels (computed from `width`; without both, the height of the file). */
  height?: number | undefined
}

/**
 * Renders an imported image as `<picture>`, so that the browser chooses the format and the size. The attributes
 * `width` and `height` reserve the place of the image before it has loaded. Without `sizes`, the browser assumes that
 * the image is as wide as `width`, or as the window if that is narrower. The browser loads the image when it comes
 * near the window, unless `loading` is `eager` or `fetchPriority` is `high`. All other props are attributes of
 * `<img>`. Throws a TypeError if `src` is not an image that was imported with `?image`.
 */
export function Image({ src: image, alt, width, height, sizes, loading, ...attributes }: ImageProps): ReactElement {
  const size = sizeOf(image, width, height)
  const shown = sizes ?? `(min-width: ${size.width}px) ${size.width}px, 100vw`
  return (
    <picture>
      {image.sources.map(({ type, srcSet }) => (
        <source key={type} type={type} srcSet={srcSet} sizes={shown} />
      ))}
      {/* React sets attributes in this order, and some browsers start to load the image at `src`. */}
      <img
        loading={loading ?? (attributes.fetchPriority === 'high' ? 'eager' : 'lazy')}
        decoding="async"
        {...attributes}
        {...size}
        alt={alt}
        src={image.src}
      />
    </picture>
  )
}

function sizeOf(image: ImportedImage, width: number | undefined, height: number | undefined) {
  // In JavaScript, no type checks this.
  if (typeof image?.src !== 'string')
    throw new TypeError(`<Image> expects an image that is imported with "?image" as its src, not ${String(image)}`)
  const ratio = image.width / image.height
  if (width !== undefined) return { width, height: height ?? Math.round(width / ratio) }
  if (height !== undefined) return { width: Math.round(height * ratio), height }
  return { width: image.width, height: image.height }
}
