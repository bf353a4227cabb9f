// The sites in `test/apps/`, which several tests use.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { buildSharing } from './shared-compression.ts'

/** Copies a site into the folder of a test. */
export function copyApp(t: Pick<Test, 'testdir'>, name: string): string {
  const dir = t.testdir()
  const isWritten = (file: string) => /(?:^|\/)(?:\.hydrant|tsconfig\.json)/.test(file)
  cpSync(join('test/apps', name), dir, { recursive: true, filter: (file) => !isWritten(file) })
  return dir
}

/** Copies a site into the folder of a test and builds it. */
export async function buildApp(t: Pick<Test, 'testdir'>, name: string): Promise<string> {
  const dir = copyApp(t, name)
  await buildSharing({ dir })
  return dir
}
