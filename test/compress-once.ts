// Brotli takes three quarters of the time of building a small site, and the largest file, React, is the same in most
// sites. So tests read a file that one of them has compressed before from `.build/compressed`.

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callbackify, promisify } from 'node:util'
import zlib, { type BrotliOptions } from 'node:zlib'

/** The folder of the repository, because commands run in others. */
const FOLDER = fileURLToPath(new URL('../../.build/compressed', import.meta.url))

const compress = promisify<Uint8Array, BrotliOptions, Buffer>(zlib.brotliCompress)

/**
 * Replaces `brotliCompress` of modules that are imported later. It has the same result, because Brotli is deterministic.
 * It compresses everything while `isShared` returns false.
 */
export function shareCompression(isShared: () => boolean): void {
  zlib.brotliCompress = callbackify((contents: Uint8Array, options: BrotliOptions) =>
    isShared() ? compressOnce(contents, options) : compress(contents, options),
  ) as typeof zlib.brotliCompress
  syncBuiltinESMExports()
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
