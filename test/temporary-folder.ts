import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** Several times what a run writes. The packages that it installs take 0.8 GB, and databases and profiles are smaller. */
const NEEDED_BYTES = 8 * 2 ** 30
/** The name of a run's folder, with the id of the process. */
const OF_RUN = /^hydrant-tests-(\d+)-/

/**
 * Creates a folder for everything that the tests write outside the repository, in memory if there is plenty of it.
 *
 * ext4 without a journal searches all inodes that were deleted in the last minutes when it creates a file. Browsers and
 * databases delete thousands of files at their end.
 */
export function createTemporaryFolder(): string {
  const place = hasMemory() ? MEMORY : tmpdir()
  removeAbandoned(place)
  const folder = mkdtempSync(join(place, `hydrant-tests-${process.pid}-`))
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  return folder
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, freemem()) > NEEDED_BYTES
}

/** Removes the folders of runs that were killed, because their files would occupy memory. */
function removeAbandoned(place: string) {
  for (const name of readdirSync(place)) {
    const [, pid] = OF_RUN.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(place, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process may not be sent a signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
