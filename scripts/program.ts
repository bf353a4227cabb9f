// The program `hydrant`, which `cli.ts` runs.

import { resolve, sep } from 'node:path'
import { Command, CommanderError } from 'commander'
import { VERSION } from '../src/server/build-output/read-build.ts'
import { createHydrantError, showValue } from '../src/server/errors/hydrant-error.ts'
import { describeOldReact, readReact } from './check-react.ts'
import {
  addServerOptions,
  type CommandInput,
  createSwitch,
  isFolder,
  type ServerDefaults,
} from './commands/command-input.ts'
import type { runErrors } from './commands/errors.ts'
import type { ExportFlags } from './commands/export.ts'
import type { runSlow } from './commands/slow.ts'
import { PRERENDER_ARGUMENT } from './prerender-argument.ts'
import { formatError, isKnownError } from './terminal/format-error.ts'
import type { Terminal } from './terminal/text.ts'

/** The exit code: 0 for success, 1 for a failure, 2 for wrong usage. */
type ExitCode = 0 | 1 | 2

const POLL =
  'check the files for changes at intervals; for mounted volumes, which report no changes; also CHOKIDAR_USEPOLLING (false)'

const EXAMPLES = `
Examples:
  hydrant dev                 develop the site in this folder, at http://localhost:3000
  hydrant build ./my-site     build another site
  hydrant start --port 8080   serve the build of the site in this folder
  hydrant errors              list the failures of the site in this folder
  hydrant slow                list what makes its pages slow

"hydrant help <command>" explains the flags of a command. "hydrant docs" has the documentation.`

const DOCS_EXAMPLES = `
Examples:
  hydrant docs                   list the chapters
  hydrant docs guards            print a chapter, as Markdown
  hydrant docs HYD_PORT_IN_USE   explain an error code
  hydrant docs session cookie    list the sections with these words`

const ERRORS_EXAMPLES = `
Examples:
  hydrant errors                               failures of the site in this folder
  hydrant errors ./my-site --since 24h --open  unsolved failures of another site, from the last 24 hours
  hydrant errors 7F3KQ2M9-K4D2P1 ./my-site     the failure with the digest that a visitor saw
  hydrant errors 7f3k q2m9                     the failure with this fingerprint (the first half of a digest)
  hydrant errors --ledger copy.db --json       failures in a copy of a ledger, as JSON`

const SLOW_EXAMPLES = `
Examples:
  hydrant slow                                 what took the time in the last hour
  hydrant slow ./my-site --since 24h           in the last day, on another site
  hydrant slow --route '/products/[id]'        on one route
  hydrant slow 8MZ2K0QV-3 ./my-site            the steps of the request with this X-Request-Id`

/** The commands of other tools that do the same. */
const OTHER_COMMANDS = new Map([
  ['serve', 'start'],
  ['preview', 'start'],
  ['develop', 'dev'],
  ['watch', 'dev'],
])

/** The commands that go on after they have started. */
const SERVING_COMMANDS = new Set(['dev', 'start'])

export async function runProcess(): Promise<void> {
  // A reader such as `head` closes the pipe before everything is written. The command then ends without an error.
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  process.exitCode = await runProgram(process.argv.slice(2), process)
  // Code of the site, such as its configuration, may keep the process running, for example with a connection.
  const isServing = process.exitCode === 0 && SERVING_COMMANDS.has(process.argv[2] ?? '')
  if (!isServing) process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}

/** Runs a command. What serves a site, and `hydrant export`, need a process of their own. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    // `hydrant build` has started this process. It is no command of users.
    if (args[0] === PRERENDER_ARGUMENT && process.send) {
      const { runPrerender } = await import('./commands/prerender.ts')
      await runPrerender(args.slice(1))
    }
    const program = createProgram(terminal)
    await program.parseAsync(withoutHelp(program, args), { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(error, terminal)
    terminal.stderr.write(`${formatError(error, { withStack: terminal.env.DEBUG === 'hydrant' })}\n`)
    return isKnownError(error) && /^HYD_(OPTION|CLI)_/.test(error.code) ? 2 : 1
  }
}

// Each command loads only what it needs: production must not load the compiler.
export function createProgram(terminal: Terminal): Command {
  const program = new Command('hydrant')
    .description('Server-rendered React pages from Fastify.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({
      // Without the choices and presets of flags, which the descriptions name.
      optionDescription: ({ description }) => description,
      // As in the help of the command itself.
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`,
    })
    .addHelpText('after', EXAMPLES)
    .showSuggestionAfterError()
    .exitOverride()
    // `reportUsage` prints the error, in the same form as all other errors.
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError() {},
    })
    .hook('preAction', (_program, command) => unsetEmptyFlags(command))
  program
    .command('create')
    .description('create a new site in a new or empty folder')
    .argument('<dir>', 'the new folder; its name becomes the name of the package')
    .option('--template <name>', 'minimal, tailwind, or plugin for an existing Fastify app (minimal)', 'minimal')
    .action(async (dir: string, flags: { template: string }) => {
      const { runCreate } = await import('./commands/create.ts')
      await runCreate(requireImportable(dir), flags, terminal)
    })
  addCommand(program, terminal, 'dev', 'serve a site in development, and update it when a file changes', {
    serves: { port: '3000, or the next free one', host: 'localhost', hosts: 'localhost and IP addresses' },
    mode: 'development',
    load: async () => (await import('./commands/dev.ts')).runDev,
  }).addOption(createSwitch('--poll', POLL))
  addCommand(program, terminal, 'build', 'build a site for production', {
    serves: null,
    mode: 'production',
    load: async () => (await import('./commands/build.ts')).runBuild,
  })
  addExportCommand(program, terminal)
  addCommand(program, terminal, 'types', 'write the types of a site’s pages and layouts to hydrant-env.d.ts', {
    serves: null,
    mode: 'development',
    load: async () => (await import('./commands/types.ts')).runTypes,
  })
  addCommand(program, terminal, 'start', 'serve a built site', {
    serves: { port: '3000', host: '127.0.0.1', hosts: 'any' },
    mode: 'production',
    async load() {
      const { startServer } = await import('../src/server/start/start.ts')
      return ({ dir, flags, note, terminal: { env } }) => startServer({ dir, flags, env, note })
    },
  })
    .option('--socket <file>', 'socket file to listen on, instead of host and port; also HYDRANT_SOCKET')
    .option('-w, --workers <number>', 'number of processes that serve, or auto; also HYDRANT_WORKERS (1)')
    .option('--admin <address>', 'port or address of the console, or false; also HYDRANT_ADMIN (127.0.0.1:9320)')
  addErrorsCommand(program, terminal)
  addSlowCommand(program, terminal)
  program
    .command('info')
    .description('print versions and settings for a bug report, without secrets')
    .argument('[dir]', 'the site’s folder', '.')
    .option('--json', 'print JSON')
    .action(async (dir: string, flags: { json?: boolean }) => {
      const { runInfo } = await import('./commands/info.ts')
      await runInfo(requireFolder(dir), flags, terminal)
    })
  program
    .command('docs')
    .description('list the chapters of the documentation, print one, or search them')
    .argument('[words...]', 'a chapter, a heading, an error code, or words to search for')
    .addHelpText('after', DOCS_EXAMPLES)
    .action(async (words: readonly string[]) => {
      const { runDocs } = await import('./commands/docs.ts')
      runDocs(words, terminal)
    })
  return program
}

/** An empty flag, for example of a variable of the shell that is not set, counts as not set. */
function unsetEmptyFlags(command: Command) {
  for (const option of command.options) {
    const name = option.attributeName()
    if (command.getOptionValue(name) === '' && !option.mandatory) command.setOptionValue(name, option.defaultValue)
  }
}

interface CommandParts {
  /** The defaults that the help shows; null for a command that does not serve. */
  serves: ServerDefaults | null
  /** Which build of React is loaded. */
  mode: 'development' | 'production'
  load(): Promise<(input: CommandInput) => Promise<void>>
}

function addCommand(
  program: Command,
  terminal: Terminal,
  name: string,
  description: string,
  { serves, mode, load }: CommandParts,
) {
  const command = program.command(name).description(description).argument('[dir]', 'the site’s folder', '.')
  if (serves) addServerOptions(command, serves)
  command.action(async (dir: string, flags: CommandInput['flags']) => {
    const note = setNodeEnv(mode, terminal.env)
    requirePackages(dir)
    const runCommand = await load()
    await runCommand({ dir: requireFolder(dir), flags, note, terminal })
  })
  return command
}

function addExportCommand(program: Command, terminal: Terminal) {
  program
    .command('export')
    .description('build a site whose pages are all prerendered, and write it as files for a static host')
    .argument('[dir]', 'the site’s folder', '.')
    .requiredOption('--origin <url>', 'public origin of the site, such as https://example.com')
    .option('-o, --out <folder>', 'folder to write (export, in the site’s folder)')
    .option('-b, --base <path>', 'path at which the host serves the folder; also HYDRANT_BASE (/)')
    .option('--folders', 'write the page /about as about/index.html instead of about.html')
    .action(async (dir: string, flags: ExportFlags) => {
      const note = setNodeEnv('production', terminal.env)
      requirePackages(dir)
      const { runExport } = await import('./commands/export.ts')
      await runExport({ dir: requireFolder(dir), flags, note, terminal })
    })
}

type ErrorsFlags = Parameters<typeof runErrors>[1]

function addErrorsCommand(program: Command, terminal: Terminal) {
  program
    .command('errors')
    .description('show failures: a list, or one failure by its digest')
    .usage('[options] [digest] [dir]')
    .argument('[digest]', 'a digest or its first half, in any case and spacing; without it, a list is shown')
    .argument('[dir...]', 'the site’s folder (.)')
    .option('--since <when>', 'list failures seen since then: 30m, 24h, 7d, or a date like 2026-11-21')
    .option('--side <side>', 'list failures of one side: server or client')
    .option('--route <route>', 'list failures on this route, named like its file: /products/[id]')
    .option('--release <release>', 'list failures that happened in this release')
    .option('--new', 'list failures that first happened in the given --release (that of the site’s build)')
    .option('--sort <order>', 'sort the list by last occurrence, first occurrence or count: last, first, count (last)')
    .option('--open', 'list failures that are not marked as solved')
    .option('--limit <number>', 'maximum number of failures in the list, or of occurrences of one failure (20)')
    .option('--json', 'print JSON; "hydrant docs errors-command" describes its fields')
    .option('--ledger <file>', 'read another ledger: a file, or a postgres:// URL; also HYDRANT_LEDGER')
    .option('--dev', 'read the ledger of hydrant dev')
    .addHelpText('after', ERRORS_EXAMPLES)
    .action(async (first: string | undefined, rest: readonly string[], flags: ErrorsFlags) => {
      terminal.env.NODE_ENV ??= 'production'
      const { runErrors } = await import('./commands/errors.ts')
      await runErrors(first === undefined ? [] : [first, ...rest], flags, terminal)
    })
}

type SlowFlags = Parameters<typeof runSlow>[1]

function addSlowCommand(program: Command, terminal: Terminal) {
  program
    .command('slow')
    .description('show what makes pages slow: routes and steps by their time, or one request by its id')
    .usage('[options] [id] [dir]')
    .argument('[id]', 'the id of a request, as in its header X-Request-Id and the log; without it, a list is shown')
    .argument('[dir...]', 'the site’s folder (.)')
    .option('--since <when>', 'list times since then, at most a day ago: 10m, 1h, 24h, or a time (1h)')
    .option('--route <route>', 'list one route, named like its file: /products/[id]')
    .option('--limit <number>', 'maximum number of routes, and of slowest requests (10)')
    .option('--json', 'print JSON; "hydrant docs slow" describes its fields')
    .option('--ledger <file>', 'read another ledger: a file, or a postgres:// URL; also HYDRANT_LEDGER')
    .addHelpText('after', SLOW_EXAMPLES)
    .action(async (first: string | undefined, rest: readonly string[], flags: SlowFlags) => {
      terminal.env.NODE_ENV ??= 'production'
      const { runSlow } = await import('./commands/slow.ts')
      await runSlow(first === undefined ? [] : [first, ...rest], flags, terminal)
    })
}

/**
 * Sets NODE_ENV, which decides which build of React is loaded. The command owns the process, so it may: with React's
 * development build, a server would send the details of errors to visitors. Returns a warning if NODE_ENV had another
 * value, otherwise null.
 */
function setNodeEnv(mode: CommandParts['mode'], env: Terminal['env']): string | null {
  const before = env.NODE_ENV
  // Any name except `production` is fine for development.
  const isRight = mode === 'production' ? before === mode : before !== undefined && before !== 'production'
  if (isRight) return null
  env.NODE_ENV = mode
  return before === undefined ? null : `NODE_ENV was ${showValue(before)}; this command has set it to "${mode}"`
}

/** Commands import React, and Node.js refuses a version without the names that Hydrant uses. */
function requirePackages(dir: string) {
  if (process.versions.pnp !== undefined) throw createHydrantError('HYD_PLUG_AND_PLAY', [])
  const old = describeOldReact(readReact(resolve(dir)))
  if (old !== null) throw createHydrantError('HYD_REACT_VERSION', [old])
}

function requireFolder(dir: string): string {
  if (isFolder(dir)) return requireImportable(dir)
  throw createHydrantError('HYD_CLI_DIR', [dir])
}

/** On Windows, a backslash separates folders. Elsewhere it can be in a name. */
function requireImportable(dir: string): string {
  const path = resolve(dir)
  if (sep === '/' && path.includes('\\')) throw createHydrantError('HYD_CLI_BACKSLASH', [path])
  return dir
}

/** Commander prints the general help for `help` with an unknown command. It refuses the command alone, with its name. */
function withoutHelp({ commands }: Command, args: readonly string[]): readonly string[] {
  const [first, name = 'help'] = args
  const isKnown = name === 'help' || name.startsWith('-') || commands.some((command) => command.name() === name)
  return first === 'help' && !isKnown ? args.slice(1) : args
}

function reportUsage({ code, exitCode, message }: CommanderError, { stderr }: Terminal): ExitCode {
  if (exitCode === 0) return 0
  // Without a command, Commander has already printed the help.
  if (code === 'commander.help') return 2
  const text = message.replace(/^error: /, '').replace(/\s+/g, ' ')
  const hint = code === 'commander.unknownCommand' ? suggestCommand(text) : ''
  stderr.write(`${formatError(createHydrantError('HYD_CLI_USAGE', [text + hint]), { withStack: false })}\n`)
  return 2
}

/** Returns a suggestion for an unknown command where Commander, which compares letters, has none. */
function suggestCommand(message: string): string {
  const [, word = ''] = /^unknown command '(.*)'$/.exec(message) ?? []
  const meant = isFolder(word) ? `dev ${word}` : OTHER_COMMANDS.get(word)
  return meant === undefined ? '' : ` (Did you mean ${meant}?)`
}
