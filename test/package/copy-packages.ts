import { execFile } from 'node:child_process'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const LOCKFILE = 'package-lock.json'

/**
 * Copies the packages that npm has installed in a folder, and its lockfile, into another folder. An `npm install` there
 * checks them all and removes those that are not needed, but does not look for versions and unpacks no tarball again.
 */
export async function copyPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  // Links need no space, and no time for the contents. npm replaces files instead of writing into them.
  await promisify(execFile)('cp', ['--archive', '--link', join(from, 'node_modules'), to])
  await copyFile(join(from, LOCKFILE), join(to, LOCKFILE))
}
