import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { CHROMIUM_SHELL } from '../test/tools.ts'
import type { Arguments, Part } from './arguments.ts'

/** The files of a peers' folder that the load needs. */
export const RUNNER_FILES = ['bench.mjs', 'wrk.lua'] as const

/** The parts that measure a server on a core of its own. */
const ON_TWO_CORES: readonly Part[] = ['speed', 'failures', 'cache', 'tracker']
/** A program, the Debian package that installs it, and the parts that use it. */
const PROGRAMS: readonly { program: string; debianPackage: string; parts: readonly Part[] }[] = [
  {
    program: 'setpriv',
    debianPackage: 'util-linux',
    parts: ['navigation', 'hydration', 'growth', 'failures', 'cache', 'tracker'],
  },
  { program: 'taskset', debianPackage: 'util-linux', parts: ON_TWO_CORES },
  { program: 'wrk', debianPackage: 'wrk', parts: ['speed'] },
  {
    ...{ program: CHROMIUM_SHELL, debianPackage: 'chromium-headless-shell' },
    parts: ['navigation', 'hydration'],
  },
]

/** Something that the benchmark needs is missing. */
export class Missing extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

/** Throws `Missing` unless the machine and the peers' folder have everything that the parts need. */
export function checkRequirements({ parts, folder, peers }: Arguments) {
  if (process.platform !== 'linux') throw new Missing('the benchmark reads /proc', 'Run it on Linux.')
  if (folder !== null && !parts.includes('tracker')) checkFolder(folder, peers)
  for (const { program, debianPackage, parts: users } of PROGRAMS) {
    if (!parts.some((part) => users.includes(part)) || isInstalled(program)) continue
    throw new Missing(`${program} is not installed`, `apt-get install ${debianPackage}`)
  }
  if (parts.some((part) => ON_TWO_CORES.includes(part)) && availableParallelism() < 2) {
    throw new Missing('the machine has one core', 'Run it on a machine with two: one for the server, one for the load.')
  }
}

function checkFolder(folder: string, peers: readonly string[] | null) {
  const usage = 'npm run bench -- PEERS_FOLDER'
  if (!existsSync(folder)) throw new Missing(`the folder ${folder} does not exist`, usage)
  for (const file of RUNNER_FILES) {
    if (!existsSync(join(folder, file))) throw new Missing(`${folder} is no folder of peers: it has no ${file}`, usage)
  }
  for (const peer of peers ?? []) {
    if (isPeer(join(folder, peer))) continue
    throw new Missing(
      `${folder} has no server "${peer}"`,
      'Name subfolders that have a package.json with a start script.',
    )
  }
}

/** Returns whether a folder is a server that can be started. */
export function isPeer(dir: string): boolean {
  const file = join(dir, 'package.json')
  if (!existsSync(file)) return false
  const manifest: { scripts?: { start?: string } } = JSON.parse(readFileSync(file, 'utf8'))
  return manifest.scripts?.start !== undefined
}

function isInstalled(program: string): boolean {
  if (program.startsWith('/')) return existsSync(program)
  return (process.env.PATH ?? '').split(delimiter).some((dir) => existsSync(join(dir, program)))
}
