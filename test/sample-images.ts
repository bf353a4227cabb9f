// Images that a test makes with the real sharp.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installDocumentedPackages, linkDocumentedPackages } from './docs/code/documented-packages.ts'

type Sharp = (input: object | readonly object[], options?: object) => Pipeline

interface Pipeline {
  withMetadata(metadata: { orientation: number }): Pipeline
  jpeg(options?: object): Pipeline
  png(options?: object): Pipeline
  webp(options?: object): Pipeline
  gif(options?: object): Pipeline
  avif(options?: object): Pipeline
  toBuffer(): Promise<Buffer>
}

export interface SampleImages {
  /** Makes a photo: a pattern with many colors, which AVIF and WebP make smaller. */
  photo(width: number, height: number, orientation?: number): Pipeline
  /** Makes an image of one color with two frames, in the formats that have animations. */
  animation(width: number, height: number): Pipeline
  /** Makes a transparent image of one color. */
  dot(width: number): Pipeline
}

/** Installs sharp, and returns what makes images with it. `folder` is any folder of the test. */
export async function createSampleImages(folder: string): Promise<SampleImages> {
  await installDocumentedPackages()
  linkSharp(folder)
  // The part of sharp that is declared above.
  const sharp: Sharp = createRequire(join(folder, 'package.json'))('sharp')
  return {
    photo(width, height, orientation) {
      const pixels = Buffer.alloc(width * height * 3)
      for (let index = 0; index < pixels.length; index++) {
        const [x, y] = [Math.floor(index / 3) % width, Math.floor(index / 3 / width)]
        pixels[index] = 128 + 60 * Math.sin(x / 40 + (index % 3)) + 40 * Math.cos(y / 30) + ((x ^ y) % 5)
      }
      const photo = sharp(pixels, { raw: { width, height, channels: 3 } })
      // Metadata brings a color profile.
      return orientation === undefined ? photo : photo.withMetadata({ orientation })
    },
    animation(width, height) {
      const frame = (background: string) => ({ create: { width, height, channels: 3, background } })
      return sharp([frame('red'), frame('blue')], { join: { animated: true } })
    },
    dot: (width) => sharp({ create: { width, height: width, channels: 4, background: '#00aa0055' } }),
  }
}

/** Makes sharp available to the files of a folder. */
export function linkSharp(folder: string): void {
  linkDocumentedPackages(folder, ['sharp'])
}
