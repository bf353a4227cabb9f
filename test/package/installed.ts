import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createUserEnv } from '../user-env.ts'
import type { Packed } from './pack.ts'

const PACKAGES = ['fastify', 'react', 'react-dom', '@types/react', '@photostructure/sqlite']

export interface Installation {
  /** The name of its folder. */
  name: string
  /** Further packages, with their versions. */
  more: readonly string[]
  /** Options of npm. */
  options: readonly string[]
}

/**
 * Returns a folder in which npm has installed the package, and the packages that it needs in the versions of this
 * repository. It is installed once for each tarball, beside which it is. Tests copy it and never change it.
 */
export async function installHydrant(
  { tarball }: Packed,
  { name, more, options }: Installation = { name: 'installed', more: [], options: [] },
): Promise<string> {
  const folder = join(dirname(tarball), name)
  if (existsSync(folder)) return folder
  const draft = `${folder}-${process.pid}`
  mkdirSync(draft)
  writeFileSync(join(draft, 'package.json'), JSON.stringify({ name: 'my-site', private: true, type: 'module' }))
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', ...options]
  const packages = [...PACKAGES.map((name) => `${name}@${versionOf(name)}`), ...more]
  await promisify(execFile)('npm', [...words, tarball, ...packages], { cwd: draft, env: createUserEnv() })
  renameSync(draft, folder)
  return folder
}

/** Returns the version of a package that this repository installs. */
export function versionOf(name: string): string {
  // npm has checked the manifest.
  const { version } = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}
