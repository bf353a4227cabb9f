import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** A whole run writes less than half of this: installed packages, databases and profiles of browsers. */
const NEEDED_BYTES = 8 * 2 ** 30

/**
 * Creates a folder for everything that the tests write outside the repository, in memory if there is plenty of it.
 *
 * ext4 without a journal searches all inodes that were deleted in the last minutes when it creates a file. Browsers and
 * databases delete thousands of files at their end.
 */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), 'hydrant-tests-'))
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  return folder
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, freemem()) > NEEDED_BYTES
}
