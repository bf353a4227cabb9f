import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createUserEnv } from '../user-env.ts'

export interface Packed {
  /** The absolute path of the tarball. */
  tarball: string
  /** The paths of the files in it. */
  paths: string[]
}

/** Returns the package that the test runner has packed. Without the runner, packs it into a folder. */
export async function packHydrant(folder: string): Promise<Packed> {
  const { TEST_PACKED } = process.env
  // The runner writes the file.
  if (TEST_PACKED !== undefined) return JSON.parse(readFileSync(TEST_PACKED, 'utf8')) as Packed
  return await createPackage(folder)
}

/** Packs the compiled package into a folder, as npm would publish it. */
export async function createPackage(folder: string): Promise<Packed> {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await promisify(execFile)('npm', words, { env: createUserEnv() })
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  return { tarball: join(folder, filename), paths: files.map(({ path }) => path) }
}
