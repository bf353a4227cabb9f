// The package managers other than npm, as a user has them: a new site is created, installed and run with each.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { startCommand } from '../docs/start-command.ts'
import { installOnce } from '../install-once.ts'
import { createOutsideFolder } from '../outside-folder.ts'
import { CHROMIUM_SHELL } from '../tools.ts'
import { until } from '../until.ts'
import { createUserEnv } from '../user-env.ts'
import { packHydrant } from './pack.ts'

const execute = promisify(execFile)

const VERSIONS = { pnpm: '12.21.0', '@yarnpkg/cli-dist': '4.18.1', bun: '1.4.5' }
const PLATFORM = `${process.platform}-${process.arch}`

interface Manager {
  /** The files that npm has installed, by the commands that users type. */
  programs: Record<string, string>
  /** The words that run a command of a package, before the command. */
  execute(tarball: string): string
  /** The words before the name of a script. */
  run: string
  /** Installs exactly what the lockfile says, as CI does. */
  installLocked: string
  /** Keeps what it has downloaded in a folder, and reports nothing to anybody. */
  env(cache: string): Record<string, string>
}

export const MANAGERS = {
  pnpm: {
    programs: { pnpm: `@pnpm/exe.${PLATFORM}/pnpm` },
    execute: (tarball) => `pnpm --package=${tarball} dlx`,
    run: 'pnpm',
    installLocked: 'pnpm install --frozen-lockfile',
    env: (cache) => ({ XDG_CACHE_HOME: cache, XDG_DATA_HOME: cache, XDG_STATE_HOME: cache }),
  },
  yarn: {
    programs: { yarn: '@yarnpkg/cli-dist/bin/yarn.js' },
    execute: (tarball) => `yarn dlx --quiet --package hydrant@file:${tarball}`,
    run: 'yarn',
    installLocked: 'yarn install --immutable',
    env: (cache) => ({ YARN_GLOBAL_FOLDER: cache, YARN_ENABLE_TELEMETRY: '0' }),
  },
  bun: {
    programs: {
      bun: `@oven/bun-${PLATFORM.replace('arm64', 'aarch64')}/bin/bun`,
      bunx: `@oven/bun-${PLATFORM.replace('arm64', 'aarch64')}/bin/bun`,
    },
    execute: (tarball) => `bunx --package=${tarball}`,
    run: 'bun run',
    installLocked: 'bun install --frozen-lockfile',
    env: (cache) => ({ BUN_INSTALL_CACHE_DIR: cache, BUN_TMPDIR: cache, DO_NOT_TRACK: '1' }),
  },
} satisfies Record<string, Manager>

export interface Result {
  isOk: boolean
  /** What the command has written to both outputs. */
  output: string
}

export interface Workplace {
  manager: Manager
  /** An empty folder, in which no other packages are found. */
  folder: string
  tarball: string
  /** Runs a command in a folder. */
  run(command: string, dir: string): Promise<Result>
  /** Runs a command that serves, until the end of the test. Returns the origin. */
  start(t: Test, command: string, dir: string): Promise<string>
}

/** Installs a package manager, once per checkout, and makes a folder for a user of it. */
export async function openWorkplace(t: Test, name: keyof typeof MANAGERS): Promise<Workplace> {
  const manager: Manager = MANAGERS[name]
  const modules = join(await installOnce('package-managers', VERSIONS), 'node_modules')
  const folder = createOutsideFolder(t, `${name}-`)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [command, file] of Object.entries(manager.programs)) {
    if (!existsSync(join(modules, file))) throw new Error(`npm has installed ${name} without ${file}.`)
    symlinkSync(join(modules, file), join(bin, command))
  }
  // With CI, package managers refuse to write a new lockfile.
  const { CI: _, ...user } = createUserEnv()
  const env = {
    ...user,
    ...manager.env(join(folder, 'cache')),
    PATH: `${bin}${delimiter}${user.PATH}`,
    CHROMIUM: CHROMIUM_SHELL,
    HYDRANT_ADMIN: 'false',
    PORT: '0',
  }
  return {
    manager,
    folder,
    tarball: (await packHydrant(folder)).tarball,
    async run(command, dir) {
      const [program = '', ...words] = command.split(' ')
      const [isOk, { stdout, stderr }] = await execute(program, words, { cwd: dir, env }).then(
        (result) => [true, result] as const,
        (error: { stdout: string; stderr: string }) => [false, error] as const,
      )
      return { isOk, output: stdout + stderr }
    },
    async start(t, command, dir) {
      const { origin, stop } = await startCommand(command, { cwd: dir, env })
      t.teardown(stop)
      return origin
    },
  }
}

/**
 * Creates a site in a folder with `hydrant create`, which the package manager runs. The site gets Hydrant from the tarball.
 * Returns the output.
 */
export async function createSite(t: Test, { manager, tarball, run }: Workplace, dir: string, name: string) {
  const { isOk, output } = await run(`${manager.execute(tarball)} hydrant create ${name}`, dir)
  t.ok(isOk, 'create', { output })
  edit(join(dir, name, 'package.json'), /"hydrant": "[^"]+"/, `"hydrant": "file:${tarball}"`)
  return output
}

/** Runs the commands that `hydrant create` has printed, except the last one. Returns the folder of the site, and the last one. */
export async function runPrinted(t: Test, { run }: Workplace, dir: string, output: string) {
  const [enter = '', install = '', dev = ''] = [...output.matchAll(/^ {2}(\S.*)$/gm)].map(([, command = '']) => command)
  const site = join(dir, enter.replace(/^cd /, ''))
  const installed = await run(install, site)
  t.ok(installed.isOk, install, installed)
  return { site, dev }
}

/** Adds the test that a site is developed: an edit of a file appears. */
export function testDev(t: Test, { start }: Workplace, { site, dev }: { site: string; dev: string }) {
  t.test('the printed command serves the site, and updates it', async (t) => {
    const origin = await start(t, dev, site)
    t.match(await fetchText(`${origin}/books/kim`), '<h1>Kim</h1>')
    edit(join(site, 'pages/index.tsx'), 'Welcome</h1>', 'Changed</h1>')
    await until(async () => (await fetchText(origin)).includes('<h1>Changed</h1>'))
  })
}

/** Adds the test that a site is built and served, after `testDev`. */
export function testStart(t: Test, { manager, run, start }: Workplace, site: string) {
  t.test('the site is built and served', async (t) => {
    const built = await run(`${manager.run} build`, site)
    t.ok(built.isOk, 'build', built)
    const origin = await start(t, `${manager.run} start`, site)
    t.match(await fetchText(origin), '<h1>Changed</h1>')
    t.equal((await fetch(`${origin}/none`)).status, 404)
  })
}

/** Adds the tests that the scripts of a site succeed which test it and check its types. */
export function testChecks(t: Test, { manager, run }: Workplace, site: string) {
  t.test('the site passes its tests, and its types have no errors', async (t) => {
    const tested = await run(`${manager.run} test`, site)
    t.ok(tested.isOk, 'test', tested)
    t.match(tested.output, 'a visitor clicks the counter')
    const checked = await run(`${manager.run} typecheck`, site)
    t.ok(checked.isOk, 'typecheck', checked)
  })
}

/** Replaces a text in a file. */
export function edit(file: string, before: string | RegExp, after: string) {
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(before, after)
  if (changed === text) throw new Error(`${file} does not have ${before}.`)
  writeFileSync(file, changed)
}

export async function fetchText(url: string): Promise<string> {
  return (await fetch(url, { headers: { accept: 'text/html' } })).text()
}
