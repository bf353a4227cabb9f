// Runs the commands that the documents show, next to a built site.

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { runCli, startCli } from '../../scripts/run-cli.ts'
import { CURL } from '../../tools.ts'
import { hasDocumentedProgram, PACKAGES } from './documented-packages.ts'
import type { PreparedSite } from './prepared-site.ts'
import type { ShellCommand } from './shell-commands.ts'

const run = promisify(execFile)

/** These do not need a script of package.json. */
const NPM_COMMANDS = ['ci', 'pkg', 'prune', 'uninstall']
const TOKEN = 'a-token-of-32-characters-for-tests'
/** A digest or its first half, also when its parts are separate words. */
const DIGEST = /\b[0-9A-HJKMNP-TV-Z]{4}\0?[0-9A-HJKMNP-TV-Z]{4}(?:[-\0][0-9A-HJKMNP-TV-Z]{6})?\b/i
/** The packages of Storybook. Its recipe was tried by hand: they are too large for a test. */
const STORYBOOK = ['storybook', '@storybook/react-vite', 'vite']
const { dependencies, devDependencies, peerDependencies, scripts } = readManifest('package.json')
const packages = new Set([
  'hydrant',
  ...STORYBOOK,
  ...Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies, ...PACKAGES }),
])

/** Returns the problem of a command, with its place in the document, if it has one. */
export async function findCommandProblems(t: Test, site: PreparedSite, command: ShellCommand): Promise<string[]> {
  const { place, words } = command
  const problem = findWrongPath(words) ?? findWrongVariable(words) ?? (await runCommand(t, site, command))
  return problem === null ? [] : [`${place}: ${words.join(' ')}: ${problem}`]
}

async function runCommand(t: Test, site: PreparedSite, { words, env }: ShellCommand): Promise<string | null> {
  const [program, ...rest] = words
  if (program === 'hydrant') return await runHydrant(t, site, rest, env)
  if (program === 'curl') return await runCurl(site, rest)
  if (program === 'npm') return findNpmProblem(rest)
  if (program !== 'npx') return null
  const [name = '', ...args] = rest
  if (name === 'hydrant') return await runHydrant(t, site, args, env)
  const isFound = existsSync(join('node_modules/.bin', name)) || hasDocumentedProgram(name)
  return isFound ? null : 'npx does not find this program'
}

async function runHydrant(t: Test, site: PreparedSite, args: readonly string[], env: Record<string, string>) {
  const digest = (text: string) => (text.length === 8 ? site.digest.slice(0, 8) : site.digest)
  const given = args[0] === 'errors' ? args.join('\0').replace(DIGEST, digest).split('\0') : args
  const words = given.map((word) => toLocal(word, site))
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, toLocal(value, site)]))
  const hasDir = args.some((word) => word.startsWith('./'))
  // Only a site without parts that need a server can be exported.
  const name = args[0] === 'export' ? 'static-site' : 'my-site'
  const cwd = hasDir ? site.folder : join(site.folder, name)
  if (args[0] === 'dev' || args[0] === 'start') {
    const port = words.some((word) => /^(?:-p|--port)\b/.test(word)) ? ['--port', '0'] : []
    return await startHydrant(t, [...words, ...port], { cwd, env: { ...variables, PORT: '0' } })
  }
  // A new site needs an empty folder.
  const folder = args[0] === 'create' ? mkdtempSync(join(site.folder, 'new-')) : cwd
  const { code, stderr } = await runCli(words, { cwd: folder, env: variables })
  return code === 0 ? null : `it ended with ${code}: ${stderr}`
}

async function startHydrant(t: Test, words: readonly string[], options: { cwd: string; env: Record<string, string> }) {
  const server = startCli(t, words, options)
  const problem = await server.waitFor(/listening at|http:\/\//).then(
    () => null,
    () => `it ended before it served: ${server.lines.join('\n')}`,
  )
  await server.stop('SIGTERM')
  return problem
}

async function runCurl(site: PreparedSite, args: readonly string[]): Promise<string | null> {
  const words = args.map((word) => toLocal(word, site))
  const ended = run(CURL, [...words, '-s', '-o', join(site.folder, 'body'), '-w', '%{http_code}'])
  const { stdout } = await ended.catch((error: { stderr: string }) => ({ stdout: error.stderr }))
  return /^2\d\d$/.test(stdout) ? null : `it got ${stdout}`
}

/** Replaces addresses, socket files, digests in URLs and secrets with those of the prepared site. */
function toLocal(word: string, { origin, consoleOrigin, sockets, digest }: PreparedSite): string {
  if (/^(?:\d+\.){3}\d+:\d+$/.test(word)) return '127.0.0.1:0'
  return word
    .replace(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1|10\.0\.0\.5):9320/, consoleOrigin)
    .replace(/http:\/\/localhost:3000/, origin)
    .replace(/^\/run\/\w+/, sockets)
    .replace('…', TOKEN)
    .replace(/(?<=\/failures\/)[\w-]+/, digest)
}

function findNpmProblem([command = '', ...words]: readonly string[]): string | null {
  if (NPM_COMMANDS.includes(command)) return null
  if (command === 'install' || command === 'i') {
    const names = words.filter((word) => !word.startsWith('-')).map((word) => word.replace(/(?<=.)@[^/]*$/, ''))
    const unknown = names.filter((name) => !packages.has(name))
    return unknown.length === 0 ? null : `these packages are not known to the tests: ${unknown.join(', ')}`
  }
  const script = command === 'run' ? words[0] : command
  return script !== undefined && listScripts().has(script) ? null : 'no package.json has this script'
}

/** Returns the scripts of this project, and those of the sites that `hydrant create` writes. */
function listScripts(): Set<string> {
  const templates = existsSync('templates') ? readdirSync('templates') : []
  const manifests = templates.map((name) => join('templates', name, 'package.json')).filter((path) => existsSync(path))
  return new Set(
    [scripts, ...manifests.map((path) => readManifest(path).scripts)].flatMap((own) => Object.keys(own ?? {})),
  )
}

/** Finds a file of the package that does not exist. */
function findWrongPath(words: readonly string[]): string | null {
  const paths = words.filter((word) => word.startsWith('node_modules/hydrant/'))
  const missing = paths.find((path) => !existsSync(path.slice('node_modules/hydrant/'.length)))
  return missing === undefined ? null : `${missing} does not exist`
}

/** Finds a variable that is passed as an argument, such as `-e HYDRANT_BASE=/shop`, and that is not valid. */
function findWrongVariable(words: readonly string[]): string | null {
  const pairs = words.map((word) => /^(HYDRANT_\w+)=(.*)$/s.exec(word)).filter((match) => match !== null)
  try {
    resolveOptions({ env: Object.fromEntries(pairs.map(([, name, value]) => [name, value])) })
    return null
  } catch (error) {
    return String(error)
  }
}

interface Manifest {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  scripts?: Record<string, string>
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}
