import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { PACKAGE_FOLDER } from '../util/paths.ts'
import { messageOf } from '../util/unknown-values.ts'
import { BUILD_FOLDER, BUILD_PATHS, MANIFEST_FORMAT, type Manifest } from './manifest.ts'

export const VERSION = readVersion()

/** Returns the folder of a site's build. Throws HYD_OPTION_INVALID if `dir` is not a text or is empty. */
export function buildFolder(dir: unknown, buildDir?: string): string {
  if (typeof dir !== 'string' || dir === '') {
    throw createHydrantError('HYD_OPTION_INVALID', ['dir', 'the site’s folder', showValue(dir)])
  }
  return resolve(buildDir ?? join(dir, BUILD_FOLDER))
}

/** Reads the manifest and checks the files. Throws HYD_BUILD_MISSING, HYD_BUILD_INCOMPLETE or HYD_BUILD_VERSION. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, BUILD_PATHS.manifest)
  if (!existsSync(file)) throw createMissing(folder)
  let manifest: Manifest
  try {
    // `hydrant build` has written it. The format and the version are checked below.
    manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  } catch (cause) {
    throw createHydrantError('HYD_BUILD_INCOMPLETE', [folder, 'manifest.json cannot be parsed'], cause)
  }
  checkVersion(folder, manifest)
  const missing = expectedFiles(manifest).find((path) => !existsSync(join(folder, path)))
  if (missing) throw createHydrantError('HYD_BUILD_INCOMPLETE', [folder, `${missing} is missing`])
  return manifest
}

/** Throws HYD_BUILD_VERSION for a build of another version of this package. */
export function checkVersion(folder: string, manifest: Manifest) {
  if (manifest?.format === MANIFEST_FORMAT && manifest.hydrant === VERSION) return
  throw createHydrantError('HYD_BUILD_VERSION', [folder, String(manifest?.hydrant ?? 'unknown'), VERSION])
}

function createMissing(folder: string) {
  const error = createHydrantError('HYD_BUILD_MISSING', [folder])
  const site = findSiteBelow(dirname(folder))
  if (site !== undefined)
    error.fix = `Pass the folder of the site, which seems to be ${site}/, and build it if it has no build.`
  return error
}

/** Returns the site's configuration from the build. Throws HYD_BUILD_BROKEN or HYD_OPTION_INVALID. */
export async function readConfig(folder: string): Promise<Record<string, unknown>> {
  const module = await importBundle(join(folder, BUILD_PATHS.config), '', 'the configuration')
  const config = module.default
  if (typeof config === 'object' && config !== null) return { ...config }
  throw createHydrantError('HYD_OPTION_INVALID', [
    'hydrant.config.ts',
    'an object as its default export',
    typeof config,
  ])
}

/** Imports one of the build's two modules for Node. `what` names it in the error. Throws HYD_BUILD_BROKEN. */
export async function importBundle(path: string, query: string, what: string): Promise<Record<string, unknown>> {
  try {
    return await import(`${pathToFileURL(path).href}${query}`)
  } catch (cause) {
    await ignoreSecondReport(cause)
    throw createHydrantError('HYD_BUILD_BROKEN', [what, describeEvaluation(path, cause)], cause)
  }
}

/** Node.js also reports a rejection, which would end the process, after `import()` of a CommonJS package rejects. */
async function ignoreSecondReport(reported: unknown): Promise<void> {
  function ignore(reason: unknown) {
    // As without this listener.
    if (reason !== reported && process.listenerCount('unhandledRejection') === 1) throw reason
  }
  process.on('unhandledRejection', ignore)
  await new Promise(setImmediate)
  process.off('unhandledRejection', ignore)
}

function expectedFiles(manifest: Manifest): string[] {
  const client = Object.values(manifest.modules).flatMap(({ js, imports, css }) => [js, ...imports, ...css])
  const files = new Set([manifest.entry, ...manifest.entryImports, ...manifest.dataReader, ...client])
  return [BUILD_PATHS.server, BUILD_PATHS.config, ...[...files].map((file) => `${BUILD_PATHS.client}/${file}`)]
}

function readVersion(): string {
  // npm requires a version in package.json.
  return (JSON.parse(readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8')) as { version: string }).version
}

/** The messages of Node.js for an import that cannot be linked. */
const MESSAGES = [
  /The requested module '(?<module>[^']+)' does not provide an export named '(?<name>[^']+)'/,
  /Named export '(?<name>[^']+)' not found\. The requested module '(?<module>[^']+)'/,
  /Cannot find (?:package|module) '(?<module>[^']+)'/,
]

/**
 * Describes an error of the evaluation of a bundle. If Node.js could not link an import, or if a package threw, the message
 * begins with the place of the import in the site, `pages/index.server.ts:1:10`: the stack of Node.js only names the
 * bundle or the package.
 */
function describeEvaluation(bundle: string, error: unknown): string {
  const message = messageOf(error)
  const { module, name } = MESSAGES.map((pattern) => pattern.exec(message)?.groups).find(Boolean) ?? {}
  if (module !== undefined) return withPlace(findImport(bundle, module, name), message)
  const thrower = packageIn(error)
  if (thrower === null) return message
  const place = findImport(bundle, thrower)
  const importer = place === null ? findDependent(bundle, thrower) : null
  if (importer === null) return withPlace(place, `the package "${thrower}" threw: ${message}`)
  const needed = `the package "${thrower}", which "${importer}" needs, threw: ${message}`
  return withPlace(findImport(bundle, importer), needed)
}

function withPlace(place: string | null, message: string): string {
  return place === null ? message : `${place}: ${message}`
}

/** Returns the package that has thrown an error; null if the site's own code has. */
function packageIn(error: unknown): string | null {
  const { stack } = Object(error) as { stack?: unknown }
  const [frame = ''] = /^ {4}at .*/m.exec(String(stack)) ?? []
  const [, name] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(frame) ?? []
  return name === undefined || name === 'hydrant' ? null : name.replace('\\', '/')
}

/** Returns a package that the bundle imports and that needs another one, itself or through others; null if there is none. */
function findDependent(bundle: string, wanted: string): string | null {
  try {
    const imports = readFileSync(bundle, 'utf8').matchAll(/^import .*"((?:@[^/"]+\/)?[^/"]+)[^"]*";$/gm)
    return [...imports].map(([, name = '']) => name).find((name) => needs(name, wanted, bundle, new Set())) ?? null
  } catch {
    return null
  }
}

function needs(name: string, wanted: string, importer: string, seen: Set<string>): boolean {
  const paths = createRequire(importer).resolve.paths(name) ?? []
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json')))
  if (folder === undefined || seen.has(folder)) return false
  seen.add(folder)
  // pnpm has the dependencies beside the target of a link.
  const file = join(realpathSync(folder), 'package.json')
  const { dependencies, peerDependencies } = Object(JSON.parse(readFileSync(file, 'utf8')))
  const names = Object.keys({ ...dependencies, ...peerDependencies })
  return names.includes(wanted) || names.some((inner) => needs(inner, wanted, file, seen))
}

/** Returns the place in the site of an import of a module, or of a package with that name. */
function findImport(bundle: string, module: string, name?: string): string | null {
  try {
    const lines = readFileSync(bundle, 'utf8').split('\n')
    const literal = JSON.stringify(module)
    const isOf = (code: string) => code.endsWith(` ${literal};`) || code.includes(` ${literal.slice(0, -1)}/`)
    const line = lines.findIndex(
      (code) => code.startsWith('import ') && isOf(code) && (name === undefined || wordOf(name).test(code)),
    )
    const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')))
    const entry = map.findEntry(line, name === undefined ? 0 : (lines[line]?.search(wordOf(name)) ?? 0))
    if (line === -1 || !('originalSource' in entry)) return null
    const file = decodeURIComponent(entry.originalSource).replace(/^\.\.\/\.\.\//, '')
    return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  } catch {
    // A build without a readable map: the message is complete without the place.
    return null
  }
}

function wordOf(name: string): RegExp {
  return new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)
}

/**
 * Returns the name of a folder in `dir` that has a folder `pages`. Returns undefined if there is none, and if `dir` itself
 * has one. For errors: a command was probably started in the folder around the site.
 */
export function findSiteBelow(dir: string): string | undefined {
  try {
    const names = readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
      .map(({ name }) => name)
    if (names.includes('pages')) return undefined
    return names.sort().find((name) => existsSync(join(dir, name, 'pages')))
  } catch {
    return undefined
  }
}
