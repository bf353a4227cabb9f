import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createUserEnv } from './user-env.ts'

const run = promisify(execFile)

/**
 * Fetches a version of Node.js from the npm registry, once per checkout. Returns its program. `npm pack` and tar take
 * half the processor time of `npm install`.
 */
export async function fetchNode(version: string): Promise<string> {
  if (process.version === `v${version}`) return process.execPath
  const name = `node-${process.platform}-${process.arch}`
  const prefix = resolve('.build/node', version)
  const program = join(prefix, 'bin/node')
  if (existsSync(program)) return program
  const draft = `${prefix}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  const words = ['pack', '--silent', '--prefer-offline', '--pack-destination', draft, `${name}@${version}`]
  await run(process.execPath, [findNpm(), ...words], { env: createUserEnv() })
  const tarball = join(draft, `${name}-${version}.tgz`)
  await run('tar', ['--extract', '--file', tarball, '--directory', draft, 'package/bin/node'])
  mkdirSync(dirname(program), { recursive: true })
  // Renamed when complete, because a run may be stopped meanwhile.
  renameSync(join(draft, 'package/bin/node'), program)
  rmSync(draft, { recursive: true })
  return program
}

/** Returns npm's JavaScript file: its shell script would run it with the first Node.js in PATH. */
export function findNpm(): string {
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
  const found = [process.env.npm_execpath, beside].find((path) => path !== undefined && existsSync(path))
  if (found === undefined) throw new Error(`npm is neither in npm_execpath nor in ${beside}. Run this by npm test.`)
  return found
}
