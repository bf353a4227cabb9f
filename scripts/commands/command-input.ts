import { statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { readLimit } from '../../src/server/admin/list-query.ts'
import { createHydrantError, showValue } from '../../src/server/errors/hydrant-error.ts'
import { LOG_LEVELS } from '../../src/server/options/rules.ts'
import type { Terminal } from '../terminal/text.ts'

export interface CommandInput<Flags = Record<string, string | undefined>> {
  dir: string
  flags: Flags
  /** A warning about NODE_ENV, or null. */
  note: string | null
  terminal: Terminal
}

/** The defaults that the help of a command shows. */
export interface ServerDefaults {
  port: string
  host: string
  hosts: string
}

/** Adds the flags of a command that serves. None has a default: `resolveOptions` checks them with the others. */
export function addServerOptions(command: Command, { port, host, hosts }: ServerDefaults) {
  command
    .option('-p, --port <number>', `TCP port, 0 for any free one; also PORT (${port})`)
    .option('-H, --host <name>', `address to listen on, 0.0.0.0 for all; also HOST (${host})`)
    .option('--hosts <names>', `host names of the site, with commas between them; also HYDRANT_HOSTS (${hosts})`)
    .option('-b, --base <path>', 'path at which the site is mounted; also HYDRANT_BASE (/)')
    .option('--trust-proxy <which>', 'proxies whose forwarded headers are trusted; also HYDRANT_TRUST_PROXY (false)')
    .option('--log-level <level>', `lowest level that is logged: ${LOG_LEVELS.join(', ')}; also LOG_LEVEL (info)`)
    .addOption(createSwitch('--log-requests', 'log a line for each request; also HYDRANT_LOG_REQUESTS (false)'))
}

/** Creates a flag that is true without a value. */
export function createSwitch(name: string, description: string): Option {
  return new Option(`${name} [boolean]`, description).preset('true')
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

const MAX_LIMIT = 10_000

/** Reads the flag `--limit` of a command that lists something. Throws HYD_CLI_USAGE. */
export function readLimitFlag(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const limit = readLimit(text, MAX_LIMIT)
  if (limit !== null) return limit
  throw misuse(`--limit must be a whole number from 1 to ${MAX_LIMIT}; got ${showValue(text)}`)
}

export function misuse(text: string) {
  return createHydrantError('HYD_CLI_USAGE', [text])
}
