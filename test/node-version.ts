import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createUserEnv } from './user-env.ts'

const run = promisify(execFile)

/** The highest version that npm has of each release line of Node.js that Hydrant supports. */
export const HIGHEST_NODE = { 20: '20.20.2', 22: '22.23.3', 24: '24.22.3', 26: '26.12.1' }
export const NEWEST_NODE = HIGHEST_NODE[26]

/** Fetches a version of Node.js from the npm registry, once per checkout. Returns its program. */
export async function fetchNode(version: string): Promise<string> {
  if (process.version === `v${version}`) return process.execPath
  return fetchProgram(`node-${process.platform}-${process.arch}@${version}`, 'bin/node')
}

/** Fetches the program of a package of Node.js, once per checkout. Returns its path. */
export async function fetchProgram(spec: string, path: string): Promise<string> {
  const prefix = resolve('.build/node', spec)
  const program = join(prefix, path)
  if (existsSync(program)) return program
  const draft = `${prefix}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  const tarball = join(draft, 'node.tgz')
  await download(spec, tarball)
  await run('tar', ['--extract', '--file', tarball, '--directory', draft, `package/${path}`])
  mkdirSync(dirname(program), { recursive: true })
  // Renamed when complete, because a run may be stopped meanwhile.
  renameSync(join(draft, 'package', path), program)
  rmSync(draft, { recursive: true })
  return program
}

interface NpmConfig {
  load(): Promise<void>
  flat: Record<string, unknown>
}
/** What npm itself uses to read its configuration and to download packages. */
interface Config {
  new (options: Record<string, unknown>): NpmConfig
}
interface Pacote {
  tarball: { file(spec: string, path: string, options: Record<string, unknown>): Promise<unknown> }
}

/**
 * Downloads the tarball of a package as npm does. `npm pack` also unpacks it to list its files, which takes more than half
 * of its processor time.
 */
async function download(spec: string, path: string) {
  const npm = findNpm()
  const require = createRequire(npm)
  // These packages come with npm.
  const Config = require('@npmcli/config') as Config
  const pacote = require('pacote') as Pacote
  const definitions = require('@npmcli/config/lib/definitions') as Record<string, unknown>
  const config = new Config({ ...definitions, npmPath: resolve(npm, '../..'), argv: [], env: createUserEnv() })
  await config.load()
  await pacote.tarball.file(spec, path, { ...config.flat, preferOffline: true })
}

/** Returns npm's JavaScript file: its shell script would run it with the first Node.js in PATH. */
export function findNpm(): string {
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
  const found = [process.env.npm_execpath, beside].find((path) => path !== undefined && existsSync(path))
  if (found === undefined) throw new Error(`npm is neither in npm_execpath nor in ${beside}. Run this by npm test.`)
  return found
}
