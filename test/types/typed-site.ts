// Sites in TypeScript, checked by the compilers that Hydrant supports.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createSite } from '../scripts/create-site.ts'
import { runCli } from '../scripts/run-cli.ts'
import { createUserEnv } from '../user-env.ts'

const run = promisify(execFile)

/** The oldest version of TypeScript that Hydrant supports. The newest one is a package of this repository. */
const OLDEST = '5.8'

export interface Compiler {
  name: string
  /** The path of its `tsc`. */
  command: string
}

/** Installs the oldest supported compiler for the time of the test file. Returns it and the newest one. */
export async function installCompilers(): Promise<Compiler[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-typescript-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', `typescript@~${OLDEST}`]
  await run('npm', words, { cwd: folder, env: createUserEnv() })
  const commandIn = (modules: string) => join(modules, 'node_modules/.bin/tsc')
  const compilers = [folder, process.cwd()].map(commandIn)
  return await Promise.all(
    compilers.map(async (command) => ({ name: (await run(command, ['--version'])).stdout.trim(), command })),
  )
}

/** Writes a site that depends on Hydrant as an installed package, and extends its tsconfig.json. */
export function createTypedSite(t: Pick<Test, 'testdir'>, files: Record<string, string>): string {
  const dir = createSite(t, {
    'package.json': '{ "private": true, "type": "module" }',
    'tsconfig.json': '{ "extends": "hydrant/tsconfig.json" }',
    ...files,
  })
  const link = join(dir, 'node_modules/hydrant')
  mkdirSync(dirname(link))
  symlinkSync(process.cwd(), link)
  return dir
}

/** Runs `hydrant types` in the folder of a site. */
export async function writeTypes(t: Test, dir: string): Promise<void> {
  t.match(await runCli(['types'], { cwd: dir }), { code: 0, stderr: '' })
}

/** Returns what the compiler prints: a line for each error, and indented lines with details. */
export async function findTypeErrors({ command }: Compiler, dir: string, project = 'tsconfig.json'): Promise<string[]> {
  const { stdout } = await run(command, ['--pretty', 'false', '-p', project], { cwd: dir }).catch(
    (error: { stdout: string }) => error,
  )
  return stdout.split('\n').filter((line) => line !== '')
}
