import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../util/is-running.ts'

/** Creates a folder that only this user can read, with the number of this process in its name. */
export function createUploadFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${prefix()}${process.pid}-`))
}

/** Removes the folders that processes of this host have left when they ended. Never rejects. */
export async function removeLeftFolders(): Promise<void> {
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
