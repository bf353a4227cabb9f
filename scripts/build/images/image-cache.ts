import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { renameWithRetries } from '../../rename-with-retries.ts'

/** A cache of files that take long to create. The name of a file identifies the input that it was created from. */
export interface ImageCache {
  /** Returns the file with this name. If there is none, `write` creates it at the path that it gets. */
  get(name: string, write: (path: string) => Promise<unknown>): Promise<CachedFile>
  /** Removes the files that no build has used for a month. */
  prune(): Promise<void>
  /** How many files were created, and how many were in the cache. */
  readonly counts: { readonly made: number; readonly found: number }
}

export interface CachedFile {
  path: string
  bytes: number
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Creates a cache in a folder, which several processes may use at the same time.
 *
 * @param onMake Called before the first file is made.
 */
export function createImageCache(folder: string, onMake: () => void): ImageCache {
  const counts = { made: 0, found: 0 }
  const files = new Map<string, Promise<CachedFile>>()

  async function find(path: string): Promise<CachedFile | null> {
    const found = await stat(path).catch(() => null)
    if (!found || found.size === 0) return null
    const now = new Date()
    counts.found++
    // The folder may belong to another user.
    await utimes(path, now, now).catch(() => {})
    return { path, bytes: found.size }
  }

  async function make(path: string, write: (path: string) => Promise<unknown>): Promise<CachedFile> {
    if (counts.made++ === 0) onMake()
    await mkdir(folder, { recursive: true })
    // Renamed when complete, because another process may read the file.
    const draft = `${path}.${randomUUID()}`
    try {
      await write(draft)
      await renameWithRetries(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    return { path, bytes: (await stat(path)).size }
  }

  return {
    counts,
    get(name, write) {
      const path = join(folder, name)
      const pending = files.get(name) ?? find(path).then((file) => file ?? make(path, write))
      files.set(name, pending)
      return pending
    },
    async prune() {
      const before = Date.now() - KEPT_MS
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name)
        const file = await stat(path).catch(() => null)
        if (file && file.mtimeMs < before) await rm(path, { force: true })
      }
    },
  }
}
