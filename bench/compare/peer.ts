import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isPeer } from '../requirements.ts'
import { type Cost, runCommand } from '../run-command.ts'

/** A server with the pages of the benchmark, in a folder of its own. */
export interface Peer {
  name: string
  dir: string
  /** The command line that builds it. */
  build: string
  /** The command line that starts it on `$HOST` and `$PORT`. */
  start: string
  /** The names of its packages. */
  dependencies: readonly string[]
  /** The folders that a build writes. */
  built: readonly string[]
}

/** The parts of package.json that the benchmark reads. `bench` is for the benchmark. */
interface Manifest {
  scripts: { start: string; build?: string }
  dependencies?: Record<string, string>
  bench?: { clean?: string[] }
}

/** Returns the names of the servers in a folder. */
export function listPeers(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => isPeer(join(folder, name)))
    .sort()
}

export function readPeer(dir: string): Peer {
  // The cast is safe because `isPeer` has found the start script.
  const manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Manifest
  return {
    ...{ name: basename(dir), dir, start: manifest.scripts.start, build: manifest.scripts.build ?? 'true' },
    dependencies: Object.keys(manifest.dependencies ?? {}),
    built: manifest.bench?.clean ?? [],
  }
}

/** Returns the version of an installed package. */
export function versionIn(dir: string): string {
  // npm writes a version into the package.json of each installed package.
  return (JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { version: string }).version
}

/** Returns the `PATH` for scripts of package.json in a folder. */
export function pathFor(dir: string): string {
  const folders: string[] = []
  for (let at = dir; at !== dirname(at); at = dirname(at)) folders.push(join(at, 'node_modules/.bin'))
  return [...folders, process.env.PATH].join(':')
}

/** Returns the cost of a build without the results of an earlier one. */
export function buildPeer({ dir, build, built }: Peer): Promise<Cost> {
  for (const folder of built) rmSync(join(dir, folder), { recursive: true, force: true })
  const env = { PATH: pathFor(dir), NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
  return runCommand(['sh', '-c', build], { dir, log: `${dir}.build.log`, env })
}
