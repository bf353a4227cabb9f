import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createUploadFolder, removeLeftFolders } from './upload-folders.ts'

/** The disk space that the files of all requests together may take. */
export interface UploadSpace {
  /** Takes space. Returns false if there is not enough left. */
  take(bytes: number): boolean
  /** Gives space back. */
  give(bytes: number): void
  /** Creates a folder. The first call removes the folders of ended processes, whose files are not counted. */
  createFolder(): Promise<string>
}

export function createUploadSpace(maxBytes: number): UploadSpace {
  let freeBytes = maxBytes
  let cleanUp: Promise<void> | null = null
  return {
    take(bytes) {
      if (bytes > freeBytes) return false
      freeBytes -= bytes
      return true
    },
    give(bytes) {
      freeBytes += bytes
    },
    async createFolder() {
      cleanUp ??= removeLeftFolders()
      await cleanUp
      return createUploadFolder()
    },
  }
}

/** The files of one request, in a folder that only this user can read. Call `remove` in the end. */
export class TemporaryFiles {
  #folder: Promise<string> | null = null
  #count = 0
  #space: UploadSpace
  #bytes = 0

  constructor(space: UploadSpace) {
    this.#space = space
  }

  /** Returns a path for a new file. */
  async create(): Promise<string> {
    this.#folder ??= this.#space.createFolder()
    return join(await this.#folder, String(++this.#count))
  }

  /** Reserves space for bytes before they are written. Returns false if there is not enough left. */
  reserve(bytes: number): boolean {
    const isTaken = this.#space.take(bytes)
    if (isTaken) this.#bytes += bytes
    return isTaken
  }

  /** Removes all files and gives their space back. Rejects if the system refuses. */
  async remove(): Promise<void> {
    const folder = this.#folder
    this.#folder = null
    try {
      // A folder that could not be created has failed the request already.
      const path = await folder?.catch(() => null)
      if (path) await rm(path, { recursive: true, force: true })
    } finally {
      this.#space.give(this.#bytes)
      this.#bytes = 0
    }
  }
}
