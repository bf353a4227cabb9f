#!/usr/bin/env node
import module from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const SUPPORTED = '20 (from 20.19), 22 (from 22.12), or 24 and later'
const INSTALLED = `${sep}node_modules${sep}hydrant${sep}`

if (isOld(process.version)) {
  // The program cannot be loaded: its modules import names that this version does not have.
  process.stderr.write(`Error: Hydrant needs Node.js ${SUPPORTED}; this is ${process.version}\n`)
  process.exitCode = 1
} else {
  if (isUntested(process.version)) await warnOnce()
  keepCompiledCode()
  // The installed package has the program in a bundle. See `scripts/package/bundle.ts`.
  const { runProcess } = await import('#program')
  await runProcess()
}

/** The oldest supported version is in `engines` of `package.json`. */
function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  return major < 20 || (major === 20 && minor < 19)
}

/** Returns whether `engines` leaves out a version between the supported ones. */
function isUntested(version: string): boolean {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  return major === 21 || major === 23 || (major === 22 && minor < 12)
}

/** The workers of `hydrant start` run this file, too. */
async function warnOnce() {
  const { default: cluster } = await import('node:cluster')
  if (cluster.isPrimary)
    process.stderr.write(`Warning: Hydrant supports Node.js ${SUPPORTED}; it is not tested with ${process.version}\n`)
}

/**
 * Makes Node.js keep compiled code for the next start.
 *
 * perf: from version 22.1 on, 0.87 of the CPU time of `start`, commit cf42aea8
 */
function keepCompiledCode() {
  const file = fileURLToPath(import.meta.url)
  const index = file.lastIndexOf(INSTALLED)
  // Not in a folder for temporary files, where another user could place code.
  if (index !== -1 && 'enableCompileCache' in module && typeof module.enableCompileCache === 'function')
    module.enableCompileCache(`${file.slice(0, index)}${sep}node_modules${sep}.cache${sep}hydrant${sep}compiled`)
}
