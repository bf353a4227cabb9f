import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { arch, availableParallelism, release, totalmem, type } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buildFolder, readConfig, readManifest, VERSION } from '../../src/server/build-output/read-build.ts'
import { openLedger } from '../../src/server/ledger/open-ledger.ts'
import { loadDriver } from '../../src/server/ledger/sqlite/database.ts'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import type { Options } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { rules } from '../../src/server/options/rules.ts'
import { isPostgresUrl, placeOf } from '../../src/server/util/postgres.ts'
import { hasCode, messageOf } from '../../src/server/util/unknown-values.ts'
import { type EsbuildSettings, NO_SETTINGS } from '../build/bundles/esbuild-options.ts'
import { compileConfig, type SiteConfig } from '../build/bundles/read-config.ts'
import { type DiscoveredSite, discoverSite } from '../build/discover/discover-site.ts'
import { readSite } from '../build/discover/read-site.ts'
import { createOutputFolder } from '../build/output/output-folder.ts'
import { type BuildProblem, formatLocation } from '../build-problem.ts'
import { describeVersion } from '../check-react.ts'
import type { Terminal } from '../terminal/text.ts'

type Env = Record<string, string | undefined>
type Info = Record<'versions' | 'system' | 'site' | 'options' | 'ledger', Record<string, string>>

const PACKAGES = ['react', 'react-dom', 'fastify', 'esbuild', 'typescript', '@photostructure/sqlite', 'pg']

/** Runs `hydrant info`: prints the facts that a report of a bug needs, without secrets. */
export async function runInfo(
  dir: string,
  { json = false }: { json?: boolean },
  { stdout, env }: Terminal,
): Promise<void> {
  createEnvFiles(dir, 'production', env).load()
  const info = await gatherInfo(resolve(dir), env)
  stdout.write(`${json ? JSON.stringify(info, null, 2) : formatInfo(info)}\n`)
}

async function gatherInfo(dir: string, env: Env): Promise<Info> {
  const packages = PACKAGES.map((name) => [name, describeVersion(name, dir)] as const)
  const { facts, config } = await describeSite(dir)
  return {
    versions: { hydrant: VERSION, node: process.versions.node, ...Object.fromEntries(packages) },
    system: describeSystem(dir, env),
    site: facts,
    ...(await describeSettings(dir, env, config)),
  }
}

async function describeSettings(
  dir: string,
  env: Env,
  config: SiteFacts['config'],
): Promise<Pick<Info, 'options' | 'ledger'>> {
  try {
    const options = resolveOptions({ env, config: config?.config ?? {} })
    return {
      options: { ...describeOptions(options), ...(config ? describeEsbuild(config.options) : {}) },
      ledger: await describeLedger(dir, options),
    }
  } catch (error) {
    // The errors about options hide secrets themselves.
    return { options: { error: messageOf(error) }, ledger: {} }
  }
}

const TITLES: Record<keyof Info, string> = {
  versions: 'Versions',
  system: 'System',
  site: 'Site',
  options: 'Options that differ from the default',
  ledger: 'Ledger',
}

function formatInfo(info: Info): string {
  const sections = Object.entries(TITLES).map(([name, title]) => {
    const facts = Object.entries(info[name as keyof Info])
    const lines = facts.map(([fact, value]) => `- ${fact}: ${value.replace(/\s+/g, ' ')}`)
    return [`### ${title}`, '', ...(lines.length > 0 ? lines : ['- none'])].join('\n')
  })
  return sections.join('\n\n')
}

/** The folder to which the configuration is compiled. It is removed again. */
const FOLDER = '.hydrant-info'

const NO_CONFIG = { config: {}, options: NO_SETTINGS }

export interface SiteFacts {
  facts: Record<string, string>
  /** The options in the configuration, and those of esbuild; null when they cannot be read. */
  config: Pick<SiteConfig, 'config' | 'options'> | null
}

/** Describes a site from its files: its routes, its build and its configuration. Reports problems and does not throw. */
export async function describeSite(dir: string): Promise<SiteFacts> {
  const siteDir = realpathSync(dir)
  const { files } = await readSite(siteDir)
  const { site, problems } = discoverSite(files)
  const read = await readOptions(siteDir, site)
  const facts = {
    routes: String(site.routes.length),
    'server plugin': site.serverPlugin ?? 'none',
    configuration: read.text,
    build: describeBuild(siteDir),
    ...(problems.length > 0 ? { problems: problems.map(showProblem).join(', ') } : {}),
  }
  return { facts, config: read.config }
}

async function readOptions(
  siteDir: string,
  { config: file }: DiscoveredSite,
): Promise<{ text: string; config: SiteFacts['config'] }> {
  // A container often has no sources, or a file system that cannot be written. Then only the build can be read.
  const read = file === null ? null : await compile(siteDir, file).catch(() => null)
  if (read?.isUsable) return { text: String(file), config: read }
  if (read) return { text: `${file} cannot be used: ${read.problems.map(showProblem).join(', ')}`, config: null }
  const built = await readConfig(buildFolder(siteDir)).catch(() => null)
  if (built && (file !== null || Object.keys(built).length > 0))
    return { text: 'from the build', config: { ...NO_CONFIG, config: built } }
  return file === null ? { text: 'none', config: NO_CONFIG } : { text: `${file} cannot be compiled here`, config: null }
}

async function compile(siteDir: string, file: string): Promise<SiteConfig> {
  const output = await createOutputFolder(siteDir, FOLDER)
  try {
    return await compileConfig({ siteDir, folder: FOLDER, file }, output)
  } finally {
    await output.discard()
  }
}

function describeBuild(siteDir: string): string {
  try {
    const { buildId, mode, routes } = readManifest(buildFolder(siteDir))
    return `${buildId}, ${mode}, routes: ${routes.length}`
  } catch (error) {
    return messageOf(error)
  }
}

// The message of an error that the site throws may contain a secret.
function showProblem({ code, message, location }: BuildProblem): string {
  const text = /^HYD_(?:OPTION_|BUILD_PAGES_MISSING$)/.test(code) ? `${code} ${message}` : code
  return location ? `${text} (${formatLocation(location)})` : text
}

/** Lists the options that differ from their defaults. Shows no secrets: no keys, no tokens, no passwords of URLs. */
export function describeOptions(options: Options): Record<string, string> {
  const shown = Object.entries(rules).flatMap(([name, { fallback, isSecret = false }]): [string, string][] => {
    const value = readOption(options, name)
    // `admin` is a group here when it is on, which is the default.
    const isDefault = value === undefined || value === '' || JSON.stringify(value) === JSON.stringify(fallback)
    const isFunction = typeof value === 'function'
    if (isFunction) return [[name, '(a function)']]
    if (isDefault || (name === 'admin' && value !== false)) return []
    return [[name, isSecret ? '(set)' : showValue(value)]]
  })
  return Object.fromEntries(shown)
}

/** Lists the options of esbuild. Values of `define` may be secrets, so only their number is shown. */
export function describeEsbuild({ plugins, loader, define, alias }: EsbuildSettings): Record<string, string> {
  const texts = {
    'esbuild.plugins': plugins.map(({ name }) => name),
    'esbuild.loader': Object.entries(loader).map(([extension, name]) => `${extension}=${name}`),
    'esbuild.define': Object.keys(define).length > 0 ? [`(${Object.keys(define).length} set)`] : [],
    'esbuild.alias': Object.keys(alias),
  }
  const used = Object.entries(texts).filter(([, values]) => values.length > 0)
  return Object.fromEntries(used.map(([name, values]) => [name, values.join(', ')]))
}

function readOption(options: Options, name: string): unknown {
  const [group = '', part] = name.split('.')
  const value: unknown = Reflect.get(options, group)
  if (part === undefined) return value
  return typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(showValue).join(', ')
  return typeof value === 'string' && value.includes('://') ? placeOf(value) : String(value)
}

/** Describes the site's ledger: its kind, whether it can be read, and the driver of SQLite. */
export async function describeLedger(siteDir: string, options: Options): Promise<Record<string, string>> {
  const { ledger } = options
  const kind = ledger === false ? 'none' : isPostgresUrl(ledger) ? 'PostgreSQL' : 'SQLite'
  return {
    kind,
    ...(kind === 'none' ? {} : { opens: await tryToOpen(siteDir, options) }),
    driver: await attempt(async () => {
      const driver = await loadDriver(ledger === false ? 'SQLite' : resolve(siteDir, 'hydrant-errors.db'))
      return driver.name
    }),
  }
}

function tryToOpen(siteDir: string, options: Options): Promise<string> {
  return attempt(async () => {
    const ledger = await openLedger(siteDir, options)
    try {
      await ledger.list({ limit: 1 })
      return 'yes'
    } finally {
      await ledger.close()
    }
  })
}

async function attempt(work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    return hasCode(error, 'HYD_LEDGER_MISSING') ? 'there is no file yet' : `no: ${messageOf(error)}`
  }
}

type Environment = Record<string, string | undefined>

/** Describes the machine and the process: the system, the package manager, NODE_ENV. */
export function describeSystem(siteDir: string, env: Environment): Record<string, string> {
  return {
    os: [`${type()} ${release()} ${arch()}`, findDistribution(), findLibc()].filter(Boolean).join(', '),
    processors: String(availableParallelism()),
    memory: `${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    container: findContainer(env) ?? 'no',
    'package manager': [findManager(env), findLockFile(siteDir)].filter(Boolean).join(', ') || 'unknown',
    NODE_ENV: env.NODE_ENV ?? 'not set',
  }
}

function findDistribution(): string | undefined {
  return /^PRETTY_NAME="?([^"\n]+)/m.exec(readOr('/etc/os-release'))?.[1]
}

/** Packages with native code differ by the C library. */
function findLibc(): string | undefined {
  if (process.platform !== 'linux') return undefined
  // Without this, the report looks up the name of each connection. Older versions of Node.js ignore it.
  Reflect.set(process.report, 'excludeNetwork', true)
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  const version = header?.glibcVersionRuntime
  return version === undefined ? 'musl' : `glibc ${version}`
}

/** Returns the kind of container in which the process runs; null when there is no sign of one. */
export function findContainer(env: Environment, exists: (path: string) => boolean = existsSync): string | null {
  if (env.KUBERNETES_SERVICE_HOST !== undefined) return 'Kubernetes'
  if (exists('/.dockerenv')) return 'Docker'
  if (exists('/run/.containerenv')) return 'Podman'
  return env.container ? env.container : null
}

/** Returns the package manager that runs the command: `npm 10.8.2`. */
function findManager({ npm_config_user_agent: agent = '' }: Environment): string | undefined {
  return /^([\w-]+)\/([\w.-]+)/.exec(agent)?.slice(1).join(' ')
}

const LOCK_FILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'deno.lock']

function findLockFile(folder: string): string | undefined {
  const found = LOCK_FILES.find((name) => existsSync(join(folder, name)))
  const parent = dirname(folder)
  return found ?? (parent === folder ? undefined : findLockFile(parent))
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
