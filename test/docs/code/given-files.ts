// The files and variables that the documents leave to their readers.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { walk } from '../../scripts/walk.ts'

/** The files of a site, by path. */
export const givenSite = readFiles('test/fixtures/docs/site')
/** The files of an app around a site, by path. */
export const givenApp = readFiles('test/fixtures/docs/app')

/** Values of the secrets that the documents read from the environment. */
export const givenSecrets = Object.fromEntries(
  ['API_KEY', 'COOKIE_SECRET', 'JWT_SECRET', 'SESSION_KEY', 'SESSION_SECRET', 'WEBHOOK_KEY'].map((name) => [
    name,
    randomBytes(32).toString('base64'),
  ]),
)

function readFiles(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(walk(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}
