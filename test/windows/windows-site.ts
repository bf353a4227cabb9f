// Sites for both systems.

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { fetchNode } from '../node-version.ts'
import { createOutsideFolder } from '../outside-folder.ts'
import { copyPackages } from '../package/copy-packages.ts'
import { walk } from '../scripts/walk.ts'
import { createUserEnv } from '../user-env.ts'
import {
  installFor,
  NODE,
  type Result,
  type RunningProgram,
  runWindows,
  type System,
  startWindows,
  type WindowsOptions,
} from './wine.ts'

const CLI = 'node_modules/hydrant/dist/scripts/cli.js'
/** What a build or a developer has written. */
const WRITTEN = /(?:^|\/)(?:node_modules|dist|\.hydrant[^/]*|tsconfig\.json|hydrant-env\.d\.ts)(?:\/|$)/

/** The files of a site by path, or the folder that has them. */
export type Source = Readonly<Record<string, string | Buffer>> | string

/** Creates the folder for the sites of a test. Its name has spaces, and letters that ASCII lacks. */
export function createSitesFolder(t: Pick<Test, 'teardown'>): string {
  return createOutsideFolder(t, 'Jürgen’s Sites 日本 ')
}

/** Writes a site with its packages for a system. Returns its folder. */
export async function createSystemSite(folder: string, system: System, name: string, source: Source): Promise<string> {
  const dir = join(folder, system, name)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'tsconfig.json'), '{ "extends": "hydrant/tsconfig.json", "include": ["**/*"] }\n')
  if (typeof source === 'string') cpSync(source, dir, { recursive: true, filter: (path) => !WRITTEN.test(path) })
  else writeFiles(dir, source)
  await copyPackages(await installFor(system, folder), dir)
  return dir
}

/** Writes files, and the folders that they need. */
export function writeFiles(dir: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), contents)
  }
}

/** Returns the contents of a folder by path. */
export function readFiles(dir: string): Record<string, string> {
  return Object.fromEntries(walk(dir).map((path) => [path, readFileSync(join(dir, path), 'latin1')]))
}

/** Runs a command of Hydrant in the folder of a site, on the same version of Node.js for each system. */
export async function runHydrant(system: System, dir: string, words: readonly string[]): Promise<Result> {
  if (system === 'win32') return hydrantOnWindows(words, { cwd: dir })
  const options = { cwd: dir, env: { ...createUserEnv(), HYDRANT_ADMIN: 'false' } }
  return promisify(execFile)(await fetchNode(NODE[22]), [CLI, ...words], options).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  )
}

/** Runs a command of Hydrant on Windows. */
export function hydrantOnWindows(words: readonly string[], options: WindowsOptions): Promise<Result> {
  return runWindows([CLI, ...words], options)
}

export interface RunningSite extends RunningProgram {
  origin: string
}

/** Starts `hydrant start` or `hydrant dev` on Windows. Resolves when it serves. */
export async function serveOnWindows(
  t: Pick<Test, 'teardown'>,
  words: readonly string[],
  options: WindowsOptions,
): Promise<RunningSite> {
  const running = await startWindows(t, [CLI, ...words, '--port', '0'], options)
  const [, port] = await running.waitFor(/(?:listening|serves .*) at http:\/\/[\w.]+:(\d+)/)
  return { ...running, origin: `http://127.0.0.1:${port}` }
}
