import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the files of all requests together may take on the disk. */
export class UploadSpace {
  #freeBytes: number

  constructor(maxBytes: number) {
    this.#freeBytes = maxBytes
  }

  /** False when there is not as much left. */
  take(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false
    this.#freeBytes -= bytes
    return true
  }

  give(bytes: number) {
    this.#freeBytes += bytes
  }
}

/** Files of one request, in a folder that only this user may read. `remove` has to follow. */
export class TemporaryFiles {
  #folder: Promise<string> | null = null
  #count = 0
  #space: UploadSpace
  #bytes = 0

  constructor(space: UploadSpace) {
    this.#space = space
  }

  /** A path for a new file. */
  async create(): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'hydrant-form-'))
    return join(await this.#folder, String(++this.#count))
  }

  /** Before so many bytes are written: is there room for them, beside the files of others? */
  reserve(bytes: number): boolean {
    const isFree = this.#space.take(bytes)
    if (isFree) this.#bytes += bytes
    return isFree
  }

  /** Removes all of them. Rejects when the system refuses. */
  async remove(): Promise<void> {
    const folder = this.#folder
    this.#folder = null
    try {
      if (folder) await rm(await folder, { recursive: true, force: true })
    } finally {
      this.#space.give(this.#bytes)
      this.#bytes = 0
    }
  }
}
