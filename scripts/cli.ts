#!/usr/bin/env node
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Command, CommanderError, Option } from 'commander'
import { createHydrantError, showValue } from '../src/server/errors/hydrant-error.ts'
import { addErrorsCommand } from './commands/add-errors-command.ts'
import { formatError, isKnownError } from './terminal/format-error.ts'

type Flags = Record<string, string | undefined>

/** The exit code: 0 for success, 1 for a failure, 2 for wrong usage. */
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

// Each command loads only what it needs: production must not load the compiler.
function createProgram(): Command {
  const program = new Command('hydrant')
    .description('Server-rendered React pages from Fastify.')
    .version(readVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    // `reportUsage` prints the error, in the same form as all other errors.
    .configureOutput({ outputError() {} })
  program
    .command('create')
    .description('create a new site in a new or empty folder')
    .argument('<dir>', 'the new folder; its name becomes the name of the package')
    .option('--template <name>', 'minimal, tailwind or plugin (an existing Fastify app)', 'minimal')
    .action(async (dir: string, flags: { template: string }) => {
      const { runCreate } = await import('./commands/create.ts')
      runCreate(dir, flags)
    })
  addCommand(program, 'dev', 'serve a site in development, and rebuild it when a file changes', {
    serves: { port: '3000', host: 'localhost' },
    mode: 'development',
    load: async () => (await import('./commands/dev.ts')).runDev,
  })
  addCommand(program, 'build', 'build a site for production', {
    serves: null,
    mode: 'production',
    load: async () => (await import('./commands/build.ts')).runBuild,
  })
  addCommand(program, 'types', 'write the types of a site’s pages and layouts to hydrant-env.d.ts', {
    serves: null,
    mode: 'development',
    load: async () => (await import('./commands/types.ts')).runTypes,
  })
  addCommand(program, 'start', 'serve a built site', {
    serves: { port: '3000', host: '127.0.0.1' },
    mode: 'production',
    load: async () => (await import('./commands/start.ts')).runStart,
  })
    .option('--socket <path>', 'socket file to listen on, instead of host and port; also HYDRANT_SOCKET')
    .option('-w, --workers <number>', 'number of processes that serve, or auto; also HYDRANT_WORKERS (1)')
    .option('--admin <address>', 'port or address of the console, or false; also HYDRANT_ADMIN (127.0.0.1:9320)')
  addErrorsCommand(program)
  return program
}

interface CommandParts {
  /** The defaults that the help shows; null for a command that does not serve. */
  serves: { port: string; host: string } | null
  /** Which build of React is loaded. */
  mode: 'development' | 'production'
  /** Returns the function that runs the command. Its `note` is a warning about NODE_ENV, or null. */
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
 * Sets NODE_ENV, which decides which build of React is loaded. The command owns the process, so it may: with React's
 * development build, a server would send the details of errors to visitors. Returns a warning if NODE_ENV had another
 * value, otherwise null.
 */
function setNodeEnv(mode: CommandParts['mode']): string | null {
  const before = process.env.NODE_ENV
  // Any name except `production` is fine for development.
  const isRight = mode === 'production' ? before === mode : before !== undefined && before !== 'production'
  if (isRight) return null
  process.env.NODE_ENV = mode
  return before === undefined ? null : `NODE_ENV was ${showValue(before)}; this command has set it to "${mode}"`
}

// `resolveOptions` parses and checks the values, together with those of the environment and the configuration. So no
// flag has a default here.
function addServerOptions(command: Command, { port, host }: { port: string; host: string }) {
  command
    .option('-p, --port <number>', `TCP port, 0 for any free one; also PORT (${port})`)
    .option('-H, --host <name>', `address to listen on; also HOST (${host})`)
    .option('-b, --base <path>', 'path at which the site is mounted; also HYDRANT_BASE (/)')
    .option('--trust-proxy <which>', 'proxies whose forwarded headers are trusted; also HYDRANT_TRUST_PROXY (false)')
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
  // Without a command, Commander has already printed the help.
  if (code === 'commander.help') return 2
  const text = message.replace(/^error: /, '').replace(/\s+/g, ' ')
  console.error(formatError(createHydrantError('HYD_CLI_USAGE', [text]), { withStack: false }))
  return 2
}

function readVersion(): string {
  // Hydrant's own package.json always has a version: npm refuses to publish it without one.
  return (createRequire(import.meta.url)('../../package.json') as { version: string }).version
}
