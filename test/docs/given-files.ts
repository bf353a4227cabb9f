// The files that the documents leave to their readers.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { walk } from '../scripts/walk.ts'

const FOLDER = 'test/fixtures/docs'

/** The contents of the files by path. */
export const givenFiles: Readonly<Record<string, string>> = Object.fromEntries(
  walk(FOLDER).map((path) => [path, readFileSync(join(FOLDER, path), 'utf8')]),
)
