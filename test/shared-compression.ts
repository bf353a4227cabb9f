// Brotli takes three quarters of the time of building a small site, and the largest file, React, is the same in most
// sites. So tests read a file that one of them has compressed before from `.build/compressed`.

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join, resolve } from 'node:path'
import { callbackify, promisify } from 'node:util'
import zlib, { type BrotliOptions } from 'node:zlib'
import type { BuildSiteOptions, SiteBuild } from '../scripts/build/build-site.ts'

const FOLDER = resolve('.build/compressed')

const compress = promisify<Uint8Array, BrotliOptions, Buffer>(zlib.brotliCompress)
let sharing = 0

// It has the same result, because Brotli is deterministic. A test that imports the build itself compresses everything.
zlib.brotliCompress = callbackify((contents: Uint8Array, options: BrotliOptions) =>
  sharing > 0 ? compressOnce(contents, options) : compress(contents, options),
) as typeof zlib.brotliCompress
syncBuiltinESMExports()
// It keeps the function of the time when it is loaded.
const { buildSite } = await import('../scripts/build/build-site.ts')

/** Builds a site like `buildSite`, but compresses no file that any test has compressed before. */
export async function buildSharing(options: BuildSiteOptions): Promise<SiteBuild> {
  return await whileSharing(() => buildSite(options))
}

/**
 * Runs work whose builds compress no file that any test has compressed before. Its modules are imported after this one.
 */
export async function whileSharing<Result>(work: () => Promise<Result>): Promise<Result> {
  sharing++
  try {
    return await work()
  } finally {
    sharing--
  }
}

async function compressOnce(contents: Uint8Array, options: BrotliOptions): Promise<Buffer> {
  const about = JSON.stringify([process.versions.brotli, options])
  const file = join(FOLDER, createHash('sha256').update(about).update(contents).digest('hex'))
  const known = await readFile(file).catch(() => null)
  if (known !== null) return known
  const compressed = await compress(contents, options)
  await mkdir(FOLDER, { recursive: true })
  // Renamed when complete, because another process may read the file.
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, compressed)
  await rename(draft, file)
  return compressed
}
