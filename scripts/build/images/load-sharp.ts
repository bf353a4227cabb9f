import { createRequire } from 'node:module'
import { join } from 'node:path'
import { firstLineOf } from '../../../src/server/util/message-of.ts'

/** The part of the package `sharp` that is used. */
export interface Sharp {
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

export type LoadedSharp = { kind: 'loaded'; sharp: Sharp } | { kind: 'missing' } | { kind: 'broken'; reason: string }

/** Loads sharp as a module of the site would. The result is `broken` if the binary does not fit this machine. */
export function loadSharp(siteDir: string): LoadedSharp {
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
