#!/usr/bin/env node
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Command, CommanderError, Option } from 'commander'
import { createHydrantError, showValue } from '../src/server/errors/error-table.ts'
import { addErrorsCommand } from './commands/add-errors-command.ts'
import { formatError, isKnownError } from './terminal/format-error.ts'

type Flags = Record<string, string | undefined>

/** 0 done, 1 failed, 2 misused. */
type ExitCode = 0 | 1 | 2

process.exitCode = await run(process.argv.slice(2))

async function run(args: readonly string[]): Promise<ExitCode> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(error)
    console.error(formatError(error, { withStack: process.env.DEBUG === 'hydrant' }))
    return isKnownError(error) && /^HYD_(OPTION|CLI)_/.test(error.code) ? 2 : 1
  }
}

// Each command loads only what it needs: what runs in production has no use for the compiler.
function createProgram(): Command {
  const program = new Command('hydrant')
    .description('Server-rendered React pages from Fastify.')
    .version(readVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    // What is wrong is printed in one place, in the form of all other errors.
    .configureOutput({ outputError() {} })
  addCommand(program, 'dev', 'serve a site while it is being written', {
    serves: { port: '3000', host: 'localhost' },
    mode: 'development',
    load: async () => (await import('./commands/dev.ts')).runDev,
  })
  addCommand(program, 'build', 'build a site for production', {
    serves: null,
    mode: 'production',
    load: async () => (await import('./commands/build.ts')).runBuild,
  })
  addCommand(program, 'start', 'serve a site that was built', {
    serves: { port: '3000', host: '127.0.0.1' },
    mode: 'production',
    load: async () => (await import('./commands/start.ts')).runStart,
  })
    .option('--socket <path>', 'socket file to listen on, instead of host and port; also HYDRANT_SOCKET')
    .option('-w, --workers <number>', 'processes that serve, or auto; also HYDRANT_WORKERS (1)')
    .option('--admin <address>', 'port or address of the console, or false; also HYDRANT_ADMIN (127.0.0.1:9320)')
  addErrorsCommand(program)
  return program
}

interface CommandParts {
  /** Defaults, as the help shows them; null for a command that serves nothing. */
  serves: { port: string; host: string } | null
  /** How React is loaded. */
  mode: 'development' | 'production'
  /** The function takes what is to be told of NODE_ENV, or null. */
  load(): Promise<(dir: string, flags: Flags, note: string | null) => Promise<void>>
}

function addCommand(program: Command, name: string, description: string, { serves, mode, load }: CommandParts) {
  const command = program.command(name).description(description).argument('[dir]', 'the site’s folder', '.')
  if (serves) addServerOptions(command, serves)
  command.action(async (dir: string, flags: Flags) => {
    const note = setNodeEnv(mode)
    const runCommand = await load()
    await runCommand(requireFolder(dir), flags, note)
  })
  return command
}

/**
 * The command owns the process, so React is loaded as it says: with React's development build a server tells visitors of its
 * errors. Returns what is to be told if NODE_ENV had another value.
 */
function setNodeEnv(mode: CommandParts['mode']): string | null {
  const before = process.env.NODE_ENV
  // Development goes with any name but the one that means production.
  const isRight = mode === 'production' ? before === mode : before !== undefined && before !== 'production'
  if (isRight) return null
  process.env.NODE_ENV = mode
  return before === undefined ? null : `NODE_ENV was ${showValue(before)}; this command has set it to "${mode}"`
}

// Values are read and checked where those of the environment and of the configuration are, so none has a default here.
function addServerOptions(command: Command, { port, host }: { port: string; host: string }) {
  command
    .option('-p, --port <number>', `TCP port, 0 for any free one; also PORT (${port})`)
    .option('-H, --host <name>', `address to listen on; also HOST (${host})`)
    .option('-b, --base <path>', 'path below which the site is mounted; also HYDRANT_BASE (/)')
    .option('--trust-proxy <which>', 'proxies whose forwarded headers count; also HYDRANT_TRUST_PROXY (false)')
    .option('--log-level <level>', 'fatal, error, warn, info, debug, trace or silent; also LOG_LEVEL (info)')
    .addOption(
      new Option('--log-requests [boolean]', 'log a line for each request; also HYDRANT_LOG_REQUESTS (false)').preset(
        'true',
      ),
    )
}

function requireFolder(dir: string): string {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return dir
  throw createHydrantError('HYD_CLI_DIR', [dir])
}

function reportUsage({ code, exitCode, message }: CommanderError): ExitCode {
  if (exitCode === 0) return 0
  // Without a command the help has been printed: that says it all.
  if (code === 'commander.help') return 2
  const text = message.replace(/^error: /, '').replace(/\s+/g, ' ')
  console.error(formatError(createHydrantError('HYD_CLI_USAGE', [text]), { withStack: false }))
  return 2
}

function readVersion(): string {
  // Our own package.json, which npm refuses without a version.
  return (createRequire(import.meta.url)('../../package.json') as { version: string }).version
}
