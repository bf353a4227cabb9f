import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/**
 * Creates an empty folder outside this repository, whose packages Node.js would find otherwise. The test runner removes
 * it after the last file; without the runner, the test removes it.
 *
 * ext4 without a journal searches all inodes that were deleted in the last minutes when it creates a file. Each
 * installation of packages that is removed meanwhile doubles the time of the next one.
 */
export function createOutsideFolder(t: Pick<Test, 'teardown'>, prefix: string): string {
  const { TEST_FOLDER } = process.env
  const folder = mkdtempSync(join(TEST_FOLDER ?? tmpdir(), prefix))
  if (TEST_FOLDER === undefined) t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
