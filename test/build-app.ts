// The sites in `test/apps/`, which several tests use.

import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { buildSharing } from './shared-compression.ts'

/** Copies a site into the folder of a test, or into another one. */
export function copyApp(t: Pick<Test, 'testdir'>, name: string, dir = t.testdir()): string {
  const isWritten = (file: string) => /(?:^|\/)(?:\.hydrant|tsconfig\.json)/.test(file)
  cpSync(join('test/apps', name), dir, { recursive: true, filter: (file) => !isWritten(file) })
  return dir
}

/**
 * Copies a site into the folder of a test and builds it. A run of the tests builds it once: other files of the run copy
 * the result.
 */
export async function buildApp(t: Pick<Test, 'testdir'>, name: string): Promise<string> {
  const dir = copyApp(t, name)
  const built = join(dir, '.hydrant')
  const { TEST_FOLDER } = process.env
  const kept = join(TEST_FOLDER ?? dir, 'apps', name)
  if (existsSync(kept)) {
    cpSync(kept, built, { recursive: true })
    return dir
  }
  await buildSharing({ dir })
  if (TEST_FOLDER === undefined) return dir
  const draft = `${kept}-${randomUUID()}`
  cpSync(built, draft, { recursive: true })
  try {
    // Renamed when complete, because another process may build the same site.
    renameSync(draft, kept)
  } catch (error) {
    if (!existsSync(kept)) throw error
  }
  return dir
}
