import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createUserEnv } from './user-env.ts'

const run = promisify(execFile)

/**
 * Installs packages once for each list of versions. Returns the folder with their `node_modules`. It is below the
 * project, so that the packages find the project's own.
 */
export async function installOnce(name: string, dependencies: Readonly<Record<string, string>>): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies })
  const folder = folderOf(name, dependencies)
  if (existsSync(folder)) return folder
  const draft = `${folder}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'package.json'), manifest)
  const words = ['--prefer-offline', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', '--legacy-peer-deps']
  await run('npm', ['install', ...words], { cwd: draft, env: createUserEnv() })
  try {
    // Renamed when complete, because another test file may install them at the same time.
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true })
  }
  return folder
}

/** Returns the folder of `installOnce`. */
export function folderOf(name: string, dependencies: Readonly<Record<string, string>>): string {
  const manifest = JSON.stringify({ private: true, dependencies })
  return resolve('.build', name, createHash('sha256').update(manifest).digest('hex').slice(0, 8))
}
