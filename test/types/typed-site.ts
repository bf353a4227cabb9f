// Sites in TypeScript, checked by the compilers that Hydrant supports.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { discoverSite } from '../../scripts/build/discover/discover-site.ts'
import { readSite } from '../../scripts/build/discover/read-site.ts'
import { writeRouteTypes } from '../../scripts/build/discover/route-types.ts'
import { writeSite } from '../scripts/create-site.ts'
import { createUserEnv } from '../user-env.ts'

const run = promisify(execFile)

/** The oldest version of TypeScript that Hydrant supports. The newest one is a package of this repository. */
const OLDEST = '5.8'

export interface Compiler {
  name: string
  /** The path of its `tsc`. */
  command: string
  /** The options that make it work least. */
  options: readonly string[]
}

/** Several checkers for one project compute most types again. Version 7 has four. */
const ONE_CHECKER = ['--checkers', '1']

/** The newest compiler. */
export const TSC: Compiler = { name: 'tsc', command: resolve('node_modules/.bin/tsc'), options: ONE_CHECKER }

/** Returns the oldest supported compiler, which it installs once for each checkout, and the newest one. */
export async function installCompilers(): Promise<Compiler[]> {
  const compilers = [
    { folder: await installOldest(), options: [] },
    { folder: process.cwd(), options: ONE_CHECKER },
  ]
  return compilers.map(({ folder, options }) => {
    const modules = join(folder, 'node_modules')
    // The cast is safe because each package has a version.
    const { version } = JSON.parse(readFileSync(join(modules, 'typescript/package.json'), 'utf8')) as {
      version: string
    }
    return { name: `Version ${version}`, command: join(modules, '.bin/tsc'), options }
  })
}

async function installOldest(): Promise<string> {
  const folder = resolve('.build/typescript', OLDEST)
  if (existsSync(folder)) return folder
  const draft = `${folder}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'package.json'), '{ "private": true }')
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', `typescript@~${OLDEST}`]
  await run('npm', words, { cwd: draft, env: createUserEnv() })
  try {
    // Renamed when complete, because another test file may install it at the same time.
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true })
  }
  return folder
}

/** Writes a site that depends on Hydrant as an installed package, and extends its tsconfig.json. */
export function createTypedSite(t: Pick<Test, 'testdir' | 'teardown'>, files: Record<string, string>): string {
  return writeTypedSite(t.testdir({}), files)
}

/** Writes a site that depends on Hydrant and extends its tsconfig.json, into a folder below the package. */
export function writeTypedSite(dir: string, files: Record<string, string>): string {
  writeSite(dir, {
    'package.json': '{ "private": true, "type": "module" }',
    'tsconfig.json': '{ "extends": "hydrant/tsconfig.json" }',
    ...files,
  })
  const link = join(dir, 'node_modules/hydrant')
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(process.cwd(), link)
  return dir
}

/** Does what `hydrant types` does in the folder of a site, without a process for each site. */
export async function writeTypes(t: Test, dir: string): Promise<void> {
  const read = await readSite(dir)
  const { site, problems } = discoverSite(read.files)
  await writeRouteTypes(dir, site)
  t.strictSame([...read.problems, ...problems], [])
}

/** A short process collects garbage less often, which takes a fifth of the time of each compiler. */
const COMPILER_ENV = { ...process.env, GOGC: '400', NODE_OPTIONS: '--max-semi-space-size=128 --v8-pool-size=0' }

/** Returns what the compiler prints: a line for each error, and indented lines with details. */
export async function findTypeErrors({ command, options }: Compiler, dir: string): Promise<string[]> {
  const words = ['--pretty', 'false', '-p', '.', ...options]
  const { stdout } = await run(command, words, { cwd: dir, env: COMPILER_ENV }).catch(
    (error: { stdout: string }) => error,
  )
  return stdout.split('\n').filter((line) => line !== '')
}

/** The errors of several projects, in their order, for each compiler. */
export type CheckedTypes = readonly { name: string; errors: readonly string[][] }[]

/** Sites whose types are checked, and the tests of what the compilers find. */
export interface TypedSites {
  /** The paths of their `tsconfig.json`. */
  projects: readonly string[]
  /** Adds the tests. `checked` has the errors of the projects. */
  test(t: Test, checked: CheckedTypes): void
}

/** Returns the path of a site's `tsconfig.json`. */
export const projectOf = (dir: string): string => join(dir, 'tsconfig.json')

/**
 * Checks projects with each supported compiler. A compiler checks all of them in one process, which reads the types of
 * the packages once.
 */
export async function checkTypes(projects: readonly string[]): Promise<CheckedTypes> {
  const checked: CheckedTypes[number][] = []
  for (const compiler of await installCompilers())
    checked.push({ name: compiler.name, errors: await findErrorsOfProjects(compiler, process.cwd(), projects) })
  return checked
}

/**
 * Checks projects, given by the paths of their tsconfig.json, in one process that reads the files they share once.
 * Returns what `findTypeErrors` returns of each, in their order.
 */
export async function findErrorsOfProjects(
  { command, options }: Compiler,
  cwd: string,
  projects: readonly string[],
): Promise<string[][]> {
  const words = ['--build', '--force', '--verbose', '--pretty', 'false', ...options, ...projects]
  const { stdout } = await run(command, words, { cwd, env: COMPILER_ENV, maxBuffer: Number.POSITIVE_INFINITY }).catch(
    (error: { stdout: string }) => error,
  )
  const errors = new Map<string, string[]>()
  let last: string[] = []
  for (const line of stdout.split('\n')) {
    const [, project] = /- Building project '(.+)'\.\.\.$/.exec(line) ?? []
    if (project !== undefined) {
      last = []
      errors.set(resolve(cwd, project), last)
    } else if (line !== '' && !/^\d+:\d+:\d+ [AP]M - /.test(line)) last.push(line)
  }
  return projects.map((project) => {
    const lines = errors.get(resolve(cwd, project))
    if (lines === undefined) throw new Error(`${project} was not checked: ${stdout}`)
    return lines.map((line) => line.replace(`${relative(cwd, dirname(resolve(cwd, project)))}/`, ''))
  })
}
