import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Files of one request, in a folder that only this user may read. `remove` has to follow. */
export class TemporaryFiles {
  #folder: Promise<string> | null = null
  #count = 0

  /** A path for a new file. */
  async create(): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'hydrant-form-'))
    return join(await this.#folder, String(++this.#count))
  }

  /** Removes all of them. Rejects when the system refuses. */
  async remove(): Promise<void> {
    const folder = this.#folder
    this.#folder = null
    if (folder) await rm(await folder, { recursive: true, force: true })
  }
}
