// The files that the documents leave to their readers.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { walk } from '../../scripts/walk.ts'

/** The files of a site, by path. */
export const givenSite = readFiles('test/fixtures/docs/site')
/** The files of an app around a site, by path. */
export const givenApp = readFiles('test/fixtures/docs/app')

function readFiles(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(walk(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}
