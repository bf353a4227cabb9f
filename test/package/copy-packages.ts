import { execFile } from 'node:child_process'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The versions that npm has chosen, and what it has installed. */
const LOCKFILES = ['package-lock.json', 'node_modules/.package-lock.json']

/**
 * Copies the packages that npm has installed in a folder, and its lockfile, into another folder. An `npm install` there
 * checks them all and removes those that are not needed, but does not look for versions and unpacks no tarball again.
 */
export async function copyPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  // Links need no space, and no time for the contents. npm replaces files of packages, and writes into its own.
  await promisify(execFile)('cp', ['--archive', '--link', join(from, 'node_modules'), to])
  for (const file of LOCKFILES) {
    await rm(join(to, file), { force: true })
    await copyFile(join(from, file), join(to, file))
  }
}
