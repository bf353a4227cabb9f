import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../util/is-running.ts'

/** The disk space that the files of all requests together may take. */
export type UploadSpace = ReturnType<typeof createUploadSpace>

export function createUploadSpace(maxBytes: number) {
  let freeBytes = maxBytes
  let cleanUp: Promise<void> | null = null
  return {
    /** Takes space. Returns false if there is not enough left. */
    take(bytes: number) {
      if (bytes > freeBytes) return false
      freeBytes -= bytes
      return true
    },
    /** Gives space back. */
    give(bytes: number) {
      freeBytes += bytes
    },
    /** Creates a folder. The first call removes the folders of ended processes, whose files are not counted. */
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

/** Creates a folder that only this user can read, with the number of this process in its name. */
function createUploadFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${prefix()}${process.pid}-`))
}

/** Removes the folders that processes of this host have left when they ended. Never rejects. */
async function removeLeftFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names) {
    const pid = pidOf(name)
    if (pid === null) continue
    const folder = join(tmpdir(), name)
    // Another process may remove the same folder.
    if (await isLeft(folder, pid).catch(() => false)) await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

// Containers that share the folder have the same process numbers, but their own host names.
function prefix(): string {
  return `hydrant-form-${encodeURIComponent(hostname())}-`
}

function pidOf(name: string): number | null {
  if (!name.startsWith(prefix())) return null
  const [, pid] = /^(\d+)-\w{6}$/.exec(name.slice(prefix().length)) ?? []
  return pid === undefined ? null : Number(pid)
}

async function isLeft(folder: string, pid: number): Promise<boolean> {
  const { uid, mtimeMs } = await lstat(folder)
  // Another user could put a link into such a folder while it is removed.
  if (process.getuid && uid !== process.getuid()) return false
  // In a container that was started again, an earlier process may have had the same number.
  return pid === process.pid ? mtimeMs < Date.now() - process.uptime() * 1_000 : !isRunning(pid)
}
